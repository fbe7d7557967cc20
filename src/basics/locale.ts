/** The languages that Shopbell speaks. */
export const locales = ["en", "pt-BR", "es"] as const;
export type Locale = (typeof locales)[number];

/** Each by its own name: people who look for it can read that. */
export const languageNames: Readonly<Record<Locale, string>> = {
  en: "English",
  "pt-BR": "Português (Brasil)",
  es: "Español",
};

/** The language for one of Discord's locales ("pt-BR", "es-ES", "es-419", ...): English where Shopbell has no other. */
export function localeOf(discordLocale = "en-US"): Locale {
  const [language] = discordLocale.split("-");
  return locales.find((locale) => locale === discordLocale) ?? locales.find((locale) => locale === language) ?? "en";
}
