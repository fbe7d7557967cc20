import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "./masked-customer.ts";

/** The context that every view needs besides its data. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217. Without it amounts are plain numbers, because the API names no currency. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * The context of an answer that only the caller sees: in their language, and with the whole customer, because everybody
 * who may use the bot may see who ordered. The server's privacy setting is about channels.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
