import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "./masked-customer.ts";

/** What a view needs besides its data: the reader's language, the currency and the privacy setting. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217. Without a currency, amounts are plain numbers, because the API names none. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * The context of an answer that only the caller sees. Such an answer shows customers in full, because the server's privacy
 * setting is for channels. `customersFor` has the exceptions.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
