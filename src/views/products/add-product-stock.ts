import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { NewProduct } from "../../store-api/schemas.ts";
import { formatNumber } from "../parts/numbers.ts";
import { code } from "../parts/text.ts";

const nameMax = 80;
function size(bytes: number, locale: Locale): string {
  const [amount, unit, unitDisplay] =
    bytes < 1_000 ? ([bytes, "byte", "long"] as const) : ([bytes / 1_000, "kilobyte", "short"] as const);
  return formatNumber(amount, locale, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 });
}

/** Counts the lines that are not blank. The content is not split, because a file of 1 MiB may have half a million lines. */
function filledLines(content: string): number {
  let count = 0;
  const filled = /\S/g;
  while (filled.test(content)) {
    count += 1;
    const end = content.indexOf("\n", filled.lastIndex);
    if (end === -1) break;
    filled.lastIndex = end;
  }
  return count;
}

/** Summarises stock, but never its contents. `short` leaves out the file's name. Undefined if there is no stock. */
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
