import { type Choice, firstChoices, mostChoices, searchFor } from "../../basics/choices.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";

/** The first currencies to choose from: widely used ones, and those of countries with the reader's language. */
const first: Readonly<Record<Locale, readonly string[]>> = {
  en: ["BRL", "USD", "EUR", "GBP", "CAD", "AUD"],
  "pt-BR": ["BRL", "USD", "EUR"],
  es: ["BRL", "USD", "EUR", "MXN", "ARS", "COP", "CLP", "PEN", "UYU"],
};

/** Lists every currency of ISO 4217: the likely ones first, then "none" for plain numbers, then the others. */
function currencyChoices(locale: Locale): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: "currency" });
  const codes = new Set([...first[locale], "none", ...Intl.supportedValuesOf("currency")]);
  const nameOf = (code: string) =>
    code === "none" ? texts(locale).settings.plainNumbers : `${code} · ${names.of(code) ?? code}`.slice(0, 100);
  return [...codes].map((code) => ({ name: nameOf(code), value: code }));
}

/** Suggests currencies whose code or name contains the typed text, at most 25. */
export function suggestCurrencies(typed: string, locale: Locale): Choice[] {
  const isWanted = searchFor(typed);
  return firstChoices(currencyChoices(locale), (choice) => (isWanted(choice.name) ? choice : undefined));
}

/** The currencies that are traded most (Bank for International Settlements, Triennial Survey 2022). */
const traded = "JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR DKK PLN THB ILS IDR".split(" ");

/** Makes a menu with as many currencies as Discord allows, including the current one. */
export function currencyMenu(locale: Locale, present: string | undefined): Choice[] {
  const wanted = [...new Set(["none", ...(present ? [present] : []), ...first[locale], ...traded])].slice(
    0,
    mostChoices,
  );
  const byCode = new Map(currencyChoices(locale).map((choice) => [choice.value, choice]));
  return wanted.flatMap((code) => byCode.get(code) ?? []);
}
