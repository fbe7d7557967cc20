import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { NewProduct } from "../../store-api/schemas.ts";
import { formatNumber } from "../parts/numbers.ts";
import { code } from "../parts/text.ts";

const nameMax = 80;
const lineFeed = 0x0a;
/** White space and ends of lines beyond ASCII (ECMAScript, String.prototype.trim). */
const blanks: ReadonlySet<number> = new Set([
  ...[0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
]);

function size(bytes: number, locale: Locale): string {
  const [amount, unit, unitDisplay] =
    bytes < 1_000 ? ([bytes, "byte", "long"] as const) : ([bytes / 1_000, "kilobyte", "short"] as const);
  return formatNumber(amount, locale, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 });
}

/**
 * Counts the lines that are not blank. It does not split the text, because a file of 1 MiB may have half a million
 * lines.
 */
function filledLines(content: string): number {
  let count = 0;
  let isFilled = false;
  for (let at = 0; at < content.length; at += 1) {
    const unit = content.charCodeAt(at);
    if (unit === lineFeed) isFilled = false;
    else if (!isFilled && !isBlank(unit)) {
      isFilled = true;
      count += 1;
    }
  }
  return count;
}

/** The white space of `trim`. */
const isBlank = (unit: number) =>
  unit <= 0x20 ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) : unit >= 0xa0 && blanks.has(unit);

/**
 * Summarises stock: its number of lines, or its file's name and size, but never its contents. `short` leaves out the
 * name. Returns undefined if there is no stock.
 */
export function stockSummary(
  inventory: NewProduct["inventory"],
  locale: Locale,
): { readonly short: string; readonly full: string } | undefined {
  const { content = "", fileName } = inventory;
  if (content === "") return undefined;
  const say = texts(locale).addProduct;
  const count = filledLines(content);
  const lines = say.lines(count, formatNumber(count, locale));
  if (fileName === undefined) return { short: lines, full: lines };
  return {
    short: lines,
    full: say.fileFact(code(fileName, nameMax), size(Buffer.byteLength(content), locale), lines),
  };
}
