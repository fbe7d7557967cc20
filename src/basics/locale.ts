export const locales = ["en", "pt-BR", "es"] as const;
export type Locale = (typeof locales)[number];

/** Each language by its own name, so that its speakers can find it. */
export const languageNames: Readonly<Record<Locale, string>> = {
  en: "English",
  "pt-BR": "Português (Brasil)",
  es: "Español",
};

/** Takes a locale of Discord ("pt-BR", "es-ES", "es-419", ...). English for all other locales. */
export function localeOf(discordLocale = "en-US"): Locale {
  const [language] = discordLocale.split("-");
  return locales.find((locale) => locale === discordLocale) ?? locales.find((locale) => locale === language) ?? "en";
}
