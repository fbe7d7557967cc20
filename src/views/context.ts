/** The languages that Shopbell speaks. */
export type Locale = "en" | "pt-BR" | "es";

/** How much of a customer a message may show: nothing, `a•••@example.com`, or everything. */
export type Privacy = "none" | "masked" | "full";

/** What every view needs to know beside its data. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217; without it amounts are plain numbers, for the API names no currency. */
  readonly currency?: string;
  readonly privacy: Privacy;
}

/** The language for one of Discord's locales ("pt-BR", "es-ES", "es-419", ...): English where Shopbell has no other. */
export function localeOf(discordLocale = "en-US"): Locale {
  if (discordLocale === "pt-BR") return "pt-BR";
  return discordLocale === "es" || discordLocale.startsWith("es-") ? "es" : "en";
}
