/** The languages that Shopbell speaks. */
export const locales = ["en", "pt-BR", "es"] as const;
export type Locale = (typeof locales)[number];

/** The language for one of Discord's locales ("pt-BR", "es-ES", "es-419", ...): English where Shopbell has no other. */
export function localeOf(discordLocale = "en-US"): Locale {
  if (discordLocale === "pt-BR") return "pt-BR";
  return discordLocale === "es" || discordLocale.startsWith("es-") ? "es" : "en";
}
