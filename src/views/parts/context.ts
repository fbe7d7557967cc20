import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "./masked-customer.ts";

/** Input of every view besides its data: the reader's language, the currency and the privacy setting. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217. Without a currency, amounts are plain numbers, because the API names none. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * The context of an answer that only the caller sees. It shows the whole customer. Everybody who may use the bot may
 * see customers, and the server's privacy setting is only for channels.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
