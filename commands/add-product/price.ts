import type { Locale } from "../../src/views/context.ts";

/** Far above any price, and far below where a number with cents loses them. */
const PRICE_MAX = 1e12;
/** Far more than the largest price takes, with its separators and its currency; in characters. */
export const PRICE_TEXT_MAX = 40;
/** What the API's prices have where no currency says more. */
const USUAL_DECIMALS = 2;

/** Countries of Spanish America that write 1,234.50 (CLDR 44: es-MX, es-GT, es-HN, es-NI, es-DO, es-PA, es-PE, es-SV). */
const commaForThousands: ReadonlySet<string> = new Set(["MXN", "GTQ", "HNL", "NIO", "DOP", "PAB", "PEN", "SVC"]);

/** How a server writes prices. */
export interface PriceHabits {
  /** Tells "1.234" and "1,234" apart; everywhere else both separators are understood. */
  readonly thousands: "." | ",";
  /** How many digits after the decimal separator a price may have. */
  readonly decimals: number;
}

/** A currency's own number of decimals (ISO 4217, as ICU has them), two at least; one that does not exist has two. */
function decimalsOf(currency: string | undefined): number {
  if (currency === undefined || !/^[A-Z]{3}$/i.test(currency)) return USUAL_DECIMALS;
  const { maximumFractionDigits = USUAL_DECIMALS } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return Math.max(maximumFractionDigits, USUAL_DECIMALS);
}

/** By the server's language, and in Spanish by its currency as well. */
export function habitsOf(settings: { readonly language: Locale; readonly currency?: string }): PriceHabits {
  const { language, currency } = settings;
  const isComma = language === "en" || (language === "es" && commaForThousands.has(currency?.toUpperCase() ?? ""));
  return { thousands: isComma ? "," : ".", decimals: decimalsOf(currency) };
}

/** A price as it was understood; `isDoubtful` where other people would read another one. */
interface ReadPrice {
  readonly amount: number;
  readonly isDoubtful: boolean;
}

/** A number with a currency's sign or letters before or after it ("R$ 49,90", "S/ 12", "49,90 R$", "49.90 USD"). */
const WITH_CURRENCY =
  /^(?:\p{L}{1,4}[/.]?)?\s*\p{Sc}?\s*(?<number>\d[\d.,' ]*|[.,]\d+)\s*(?:\p{L}{1,3}\p{Sc}|\p{Sc}?\p{L}{0,4})$/u;
/** Thousands in groups, all with one separator, and another one before the decimals. */
const GROUPED =
  /^(?<whole>[1-9]\d{0,2}(?:(?<group>[.,' ])\d{3})(?:\k<group>\d{3})*)(?:(?!\k<group>)[.,](?<cents>\d+))?$/;
const UNGROUPED = /^(?<whole>\d*)(?:[.,](?<cents>\d+))?$/;
/** One separator with three digits behind it: thousands or decimals. */
const EITHER = /^[1-9]\d{0,2}(?<separator>[.,])\d{3}$/;

/** The digits before and after the decimal separator. */
function partsOf(number: string, { thousands }: PriceHabits): readonly [whole: string, cents: string] | undefined {
  const separator = EITHER.exec(number)?.groups?.separator;
  const isGrouped = separator === undefined || separator === thousands;
  const found = (isGrouped ? GROUPED.exec(number) : null) ?? UNGROUPED.exec(number);
  if (found?.groups === undefined) return undefined;
  const { whole = "", cents = "" } = found.groups;
  return [whole.replace(/\D/g, ""), cents];
}

/**
 * A price as people type it: `49,90`, `49.90`, `1.234,56`, `1,234.56`, `1 234,56`, `R$ 49,90`; a number as clients send it
 * that still know the option as one. Nothing for what is no price from 0 to 10^12, or has more decimals than the server's
 * currency: a price that is guessed at is worse than one that is asked for again.
 */
export function readPrice(typed: string | number, habits: PriceHabits): ReadPrice | undefined {
  if (typeof typed === "number") return bounded(typed, Number(typed.toFixed(habits.decimals)) === typed);
  if (typed.length > PRICE_TEXT_MAX) return undefined;
  const text = typed.normalize("NFKC").replace(/’/g, "'").replace(/\s+/g, " ").trim();
  const number = WITH_CURRENCY.exec(text)?.groups?.number?.trim();
  const parts = number === undefined ? undefined : partsOf(number, habits);
  if (number === undefined || parts === undefined) return undefined;
  const [whole, cents] = parts;
  return bounded(Number(`${whole || "0"}.${cents || "0"}`), cents.length <= habits.decimals, EITHER.test(number));
}

function bounded(amount: number, isExact: boolean, isDoubtful = false): ReadPrice | undefined {
  return isExact && amount >= 0 && amount <= PRICE_MAX ? { amount: amount + 0, isDoubtful } : undefined;
}

/** A price as {@link readPrice} reads it in the same server: no thousands, two decimals or more. */
export function typedPrice(amount: number, { thousands }: PriceHabits): string {
  const [whole = "", cents = ""] = String(amount).split(".");
  // What has an exponent is no price that anybody typed: it stands as it is, and is kept where it is left alone.
  if (/\D/.test(whole + cents)) return String(amount);
  return `${whole}${thousands === "." ? "," : "."}${cents.padEnd(USUAL_DECIMALS, "0")}`;
}
