import { amountLocale } from "../basics/amount-locale.ts";
import type { Locale } from "../basics/locale.ts";

/** Far above any price, and far below where a number with cents loses them. */
const priceMax = 1e12;
/** Far more than the largest price takes, with its separators and its currency; in characters. */
export const priceTextMax = 40;
/** What the API's prices have where no currency says more. */
const usualDecimals = 2;

/** How a server writes prices. */
export interface PriceHabits {
  /** Tells "1.234" and "1,234" apart; everywhere else both separators are understood. */
  readonly thousands: "." | ",";
  /** How many digits after the decimal separator a price may have. */
  readonly decimals: number;
}

/** A currency's own number of decimals (ISO 4217, as ICU has them), two at least; one that does not exist has two. */
function decimalsOf(currency: string | undefined): number {
  if (currency === undefined || !/^[A-Z]{3}$/i.test(currency)) return usualDecimals;
  const { maximumFractionDigits = usualDecimals } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return Math.max(maximumFractionDigits, usualDecimals);
}

/** By the server's language, and in Spanish by its currency as well. */
export function habitsOf(settings: { readonly language: Locale; readonly currency?: string }): PriceHabits {
  const { language, currency } = settings;
  const isComma = language === "en" || amountLocale(language, currency) !== language;
  return { thousands: isComma ? "," : ".", decimals: decimalsOf(currency) };
}

/** A price as it was understood; `isDoubtful` where other people would read another one. */
interface ReadPrice {
  readonly amount: number;
  readonly isDoubtful: boolean;
}

/** A number with something before or after it; a point right behind a letter or "/" is the end of an abbreviation ("Rs.49"). */
const withMarks = /^(?<before>[^\d.,']*[\p{L}/]\. ?|[^\d.,']*)(?<number>\d[\d.,' ]*|[.,]\d+)(?<after>\D*)$/u;
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** A currency's code with a sign beside it or not ("USD", "MXN$", "€ EUR"), in capitals. */
const currencyCode = /^\p{Sc}? ?(?<code>[A-Z]{3})\p{Sc}?$/u;
/**
 * What else people write for a currency, in capitals. A list, not a pattern: "5k", "5 M€" and "2 mil" are other amounts than
 * 5 and 2.
 */
const signs: ReadonlySet<string> = new Set(
  [
    "R$ US$ U$ U$S A$ AU$ AR$ $AR B$ BZ$ C$ CA$ CAN$ CL$ CO$ COL$ EC$ HK$ J$ MEX$ MX$ NT$ NZ$ RD$ S$ TT$ $U UY$ CN¥ JP¥",
    "S/ S/. B/ B/. BS BS. GS GS. L L. LPS LPS. Q Q. RS RS. FR FR. SFR SFR. KR KR. KČ ZŁ FT LEI RM RP RP. TL 元 円 원",
  ].flatMap((line) => line.split(" ")),
);

/** Whether what stands beside a number is nothing, or a currency. */
function isCurrency(beside: string): boolean {
  const mark = beside
    .trim()
    .toUpperCase()
    .replace(/ (?=\p{Sc}$)/u, "");
  if (/^\p{Sc}?$/u.test(mark) || signs.has(mark)) return true;
  return codes.has(currencyCode.exec(mark)?.groups?.code ?? "");
}

/** Superscripts, subscripts, digits in circles: NFKC would make them digits like all others, and 49⁹⁰ into 4990. */
const otherDigits = /\p{No}/u;
/** Thousands in groups, all with one separator, and another one before the decimals. */
const grouped =
  /^(?<whole>[1-9]\d{0,2}(?:(?<group>[.,' ])\d{3})(?:\k<group>\d{3})*)(?:(?!\k<group>)[.,](?<cents>\d+))?$/;
const ungrouped = /^(?<whole>\d*)(?:[.,](?<cents>\d+))?$/;
/** One separator with three digits behind it: thousands or decimals. */
const either = /^[1-9]\d{0,2}(?<separator>[.,])\d{3}$/;

/** The digits before and after the decimal separator. */
function partsOf(number: string, { thousands }: PriceHabits): readonly [whole: string, cents: string] | undefined {
  const separator = either.exec(number)?.groups?.separator;
  const isGrouped = separator === undefined || separator === thousands;
  const found = (isGrouped ? grouped.exec(number) : null) ?? ungrouped.exec(number);
  if (found?.groups === undefined) return undefined;
  const { whole = "", cents = "" } = found.groups;
  return [whole.replace(/\D/g, ""), cents];
}

/**
 * A price as people type it: `49,90`, `49.90`, `1.234,56`, `1,234.56`, `1 234,56`, `R$ 49,90`; a number as clients send it
 * that still know the option as one. Nothing for what is no price from 0 to 10^12, has more decimals than the server's
 * currency, or letters that are no currency's: a price that is guessed at is worse than one that is asked for again.
 */
export function readPrice(typed: string | number, habits: PriceHabits): ReadPrice | undefined {
  if (typeof typed === "number") return bounded(typed, Number(typed.toFixed(habits.decimals)) === typed);
  if (typed.length > priceTextMax || otherDigits.test(typed)) return undefined;
  const text = typed.normalize("NFKC").replace(/’/g, "'").replace(/\s+/g, " ").trim();
  const { before = "", number = "", after = "" } = withMarks.exec(text)?.groups ?? {};
  const digits = number.trim();
  const parts = digits !== "" && isCurrency(before) && isCurrency(after) ? partsOf(digits, habits) : undefined;
  if (parts === undefined) return undefined;
  const [whole, cents] = parts;
  return bounded(Number(`${whole || "0"}.${cents || "0"}`), cents.length <= habits.decimals, either.test(digits));
}

function bounded(amount: number, isExact: boolean, isDoubtful = false): ReadPrice | undefined {
  return isExact && amount >= 0 && amount <= priceMax ? { amount: amount + 0, isDoubtful } : undefined;
}

/** A price as {@link readPrice} reads it in the same server: no thousands, two decimals or more. */
export function typedPrice(amount: number, { thousands }: PriceHabits): string {
  const [whole = "", cents = ""] = String(amount).split(".");
  // What has an exponent is no price that anybody typed: it stands as it is, and is kept where it is left alone.
  if (/\D/.test(whole + cents)) return String(amount);
  return `${whole}${thousands === "." ? "," : "."}${cents.padEnd(usualDecimals, "0")}`;
}
