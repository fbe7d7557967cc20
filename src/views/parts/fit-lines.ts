import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { quantity } from "./money.ts";

/** "… and 3 more" */
export const andMore = (left: number, locale: Locale): string => texts(locale).common.more(quantity(left, locale));

/** As many lines as fit into `max` units, and {@link andMore} if items are left. `others`: how many items are not in `items`. */
export function fitLines<Item>(
  items: readonly Item[],
  line: (item: Item) => string,
  max: number,
  locale: Locale,
  others = 0,
): string {
  const rest = andMore(items.length + others, locale).length + 1;
  const kept: string[] = [];
  let units = -1;
  let fitting = 0;
  for (const item of items) {
    const next = line(item);
    units += next.length + 1;
    if (units > max) break;
    kept.push(next);
    if (units + rest <= max) fitting = kept.length;
  }
  const left = items.length + others - fitting;
  const isAll = others === 0 && kept.length === items.length;
  return isAll ? kept.join("\n") : [...kept.slice(0, fitting), andMore(left, locale)].join("\n");
}
