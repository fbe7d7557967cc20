import type { NewProduct } from "../store-api/schemas.ts";
import { texts } from "./catalogue/catalogue.ts";
import type { Locale } from "./context.ts";
import { code } from "./text.ts";

const NAME_MAX = 80;

function size(bytes: number, locale: Locale): string {
  const [amount, unit, unitDisplay] =
    bytes < 1_000 ? ([bytes, "byte", "long"] as const) : ([bytes / 1_000, "kilobyte", "short"] as const);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 }).format(amount);
}

/**
 * What may be said of stock: how many lines it has, or its file's name and size; never what is in it. `short` is without
 * the name. Nothing where there is no stock.
 */
export function stockSummary(
  inventory: NewProduct["inventory"],
  locale: Locale,
): { readonly short: string; readonly full: string } | undefined {
  const { content = "", fileName } = inventory;
  if (content === "") return undefined;
  const say = texts(locale).addProduct;
  const count = content.split("\n").filter((line) => line.trim() !== "").length;
  const lines = say.lines(count, new Intl.NumberFormat(locale).format(count));
  if (fileName === undefined) return { short: lines, full: lines };
  return {
    short: lines,
    full: say.fileFact(code(fileName, NAME_MAX), size(Buffer.byteLength(content), locale), lines),
  };
}
