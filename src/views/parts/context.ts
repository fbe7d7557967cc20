import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../basics/privacy.ts";

/** What every view needs to know besides its data. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217; without it amounts are plain numbers, because the API names no currency. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * How an answer that only the caller sees is shown: in their language, and with the customer, because all who may use
 * the bot may see who ordered. The server's privacy setting is about channels.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
