import { amountLocale, decimalsOf, usualDecimals } from "../basics/amount-locale.ts";
import type { Locale } from "../basics/locale.ts";
import { priceTextMax } from "../views/parts/numbers.ts";

/** In a double, a far larger number has no exact cents. */
const priceMax = 1e12;

export interface PriceHabits {
  /** Only "1.234", "1,234" and similar texts depend on this separator. */
  readonly thousands: "." | ",";
  /** Most digits after the decimal separator. */
  readonly decimals: number;
}

/** `thousands` depends on the language, and for Spanish also on the currency. */
export function habitsOf(settings: { readonly language: Locale; readonly currency?: string }): PriceHabits {
  const { language, currency } = settings;
  const isComma = language === "en" || amountLocale(language, currency) !== language;
  return { thousands: isComma ? "," : ".", decimals: decimalsOf(currency) };
}

/** A number with text before or after it. A point after a letter or "/" ends an abbreviation ("Rs.49"). */
const withMarks = /^(?<before>[^\d.,']*[\p{L}/]\. ?|[^\d.,']*)(?<number>\d[\d.,' ]*|[.,]\d+)(?<after>\D*)$/u;
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** A currency's code with or without a sign ("USD", "MXN$", "€ EUR"), in capitals. */
const currencyCode = /^\p{Sc}? ?(?<code>[A-Z]{3})\p{Sc}?$/u;
/** Signs of currencies, in capitals. A pattern would also accept texts such as the "k" in "5k", which changes the amount. */
const signs: ReadonlySet<string> = new Set(
  [
    "R$ US$ U$ U$S A$ AU$ AR$ $AR B$ BZ$ C$ CA$ CAN$ CL$ CO$ COL$ EC$ HK$ J$ MEX$ MX$ NT$ NZ$ RD$ S$ TT$ $U UY$ CN¥ JP¥",
    "S/ S/. B/ B/. BS BS. GS GS. L L. LPS LPS. Q Q. RS RS. FR FR. SFR SFR. KR KR. KČ ZŁ FT LEI RM RP RP. TL 元 円 원",
  ].flatMap((line) => line.split(" ")),
);

function isCurrency(beside: string): boolean {
  const mark = beside
    .trim()
    .toUpperCase()
    .replace(/ (?=\p{Sc}$)/u, "");
  if (/^\p{Sc}?$/u.test(mark) || signs.has(mark)) return true;
  return codes.has(currencyCode.exec(mark)?.groups?.code ?? "");
}

/** Superscripts and digits in circles. NFKC would turn 49⁹⁰ into 4990. */
const otherDigits = /\p{No}/u;
/** Groups of thousands with one separator, and another separator before the decimals. */
const grouped =
  /^(?<whole>[1-9]\d{0,2}(?:(?<group>[.,' ])\d{3})(?:\k<group>\d{3})*)(?:(?!\k<group>)[.,](?<cents>\d+))?$/;
const ungrouped = /^(?<whole>\d*)(?:[.,](?<cents>\d+))?$/;
/** One separator and three digits after it. The separator may be for thousands or for decimals. */
const either = /^[1-9]\d{0,2}(?<separator>[.,])\d{3}$/;

function partsOf(number: string, { thousands }: PriceHabits): readonly [whole: string, cents: string] | undefined {
  const separator = either.exec(number)?.groups?.separator;
  const isGrouped = separator === undefined || separator === thousands;
  const found = (isGrouped ? grouped.exec(number) : null) ?? ungrouped.exec(number);
  if (found?.groups === undefined) return undefined;
  const { whole = "", cents = "" } = found.groups;
  return [whole.replace(/\D/g, ""), cents];
}

/**
 * Reads `49,90`, `49.90`, `1.234,56`, `1,234.56`, `1 234,56`, `R$ 49,90`. Undefined for a text that is no price: for example,
 * with letters that are not a currency, with an amount over 10^12, or with more decimals than the server's currency has.
 * `isDoubtful` is true if some people would read the text as another price.
 */
export function readPrice(typed: string, habits: PriceHabits) {
  if (typed.length > priceTextMax || otherDigits.test(typed)) return undefined;
  const text = typed.normalize("NFKC").replace(/’/g, "'").replace(/\s+/g, " ").trim();
  const { before = "", number = "", after = "" } = withMarks.exec(text)?.groups ?? {};
  const digits = number.trim();
  const parts = digits !== "" && isCurrency(before) && isCurrency(after) ? partsOf(digits, habits) : undefined;
  if (parts === undefined) return undefined;
  const [whole, cents] = parts;
  const amount = Number(`${whole || "0"}.${cents || "0"}`);
  if (cents.length > habits.decimals || amount > priceMax) return undefined;
  return { amount, isDoubtful: either.test(digits) };
}

/** Writes an amount so that {@link readPrice}, with the same `PriceHabits`, reads it back. */
export function typedPrice(amount: number, { thousands }: PriceHabits): string {
  const [whole = "", cents = ""] = String(amount).split(".");
  // A number with an exponent stays as it is.
  if (/\D/.test(whole + cents)) return String(amount);
  return `${whole}${thousands === "." ? "," : "."}${cents.padEnd(usualDecimals, "0")}`;
}
