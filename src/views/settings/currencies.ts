import { type Choice, mostChoices, searchFor } from "../../basics/choices.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";

/** At the start of a list: widely used currencies, and those of countries with the reader's language. */
const first: Readonly<Record<Locale, readonly string[]>> = {
  en: ["BRL", "USD", "EUR", "GBP", "CAD", "AUD"],
  "pt-BR": ["BRL", "USD", "EUR"],
  es: ["BRL", "USD", "EUR", "MXN", "ARS", "COP", "CLP", "PEN", "UYU"],
};

function currencyChoices(locale: Locale): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: "currency" });
  const codes = new Set([...first[locale], "none", ...Intl.supportedValuesOf("currency")]);
  const nameOf = (code: string) =>
    code === "none" ? texts(locale).settings.plainNumbers : `${code} · ${names.of(code) ?? code}`.slice(0, 100);
  return [...codes].map((code) => ({ name: nameOf(code), value: code }));
}

/** Bank for International Settlements, Triennial Survey 2022. */
const traded = "JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR DKK PLN THB ILS IDR".split(" ");

const signOf = (currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" })
    .formatToParts(0)
    .find(({ type }) => type === "currency")?.value ?? currency;

/** Searches codes and names. Signs are searched only for widely used currencies, because the signs of all would take 30 ms. */
export function suggestCurrencies(typed: string, locale: Locale): Choice[] {
  const isWanted = searchFor(typed);
  const signed = new Set([...Object.values(first).flat(), ...traded]);
  return currencyChoices(locale)
    .filter(({ name, value }) => isWanted(name) || (signed.has(value) && isWanted(signOf(value))))
    .slice(0, mostChoices);
}

/** The code that the name of a suggestion stands for. Any other text stays as typed. */
export const currencyTyped = (typed: string, locale: Locale): string =>
  currencyChoices(locale).find(({ name }) => name === typed.trim())?.value ?? typed;

/** No currency, `present`, and then widely used currencies: as many as Discord allows. */
export function currencyMenu(locale: Locale, present: string | undefined): Choice[] {
  const wanted = [...new Set(["none", ...(present ? [present] : []), ...first[locale], ...traded])].slice(
    0,
    mostChoices,
  );
  const byCode = new Map(currencyChoices(locale).map((choice) => [choice.value, choice]));
  return wanted.flatMap((code) => byCode.get(code) ?? []);
}
