import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../guilds/guild.ts";

export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217. The API names no currency. If this is undefined, amounts are plain numbers. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/**
 * For answers that only the caller sees. They show customers in full, because the server's privacy setting is for channels.
 * The exceptions are exported files, the list of one customer's orders (`customersFor`), and suggestions.
 */
export function callerView({ currency }: Pick<ViewContext, "currency">, locale: Locale): ViewContext {
  return { locale, currency, privacy: "full" };
}
