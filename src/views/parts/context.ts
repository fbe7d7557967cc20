import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "./masked-customer.ts";

export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217. Without a currency, amounts are plain numbers, because the API names none. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * An answer that only the caller sees shows customers in full, because the server's privacy setting is for channels. The
 * exceptions are exported files, the list of one customer's orders (`customersFor`), and suggestions.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
