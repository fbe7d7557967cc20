import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { ViewContext } from "../parts/context.ts";
import { andMore } from "../parts/fit-lines.ts";
import { money, quantity } from "../parts/money.ts";
import { plain } from "../parts/text.ts";

export interface ItemCount {
  readonly title: string;
  readonly quantity: number;
}

/** `moreItems`: how many items of the order are not in `items`. */
export interface Items<Item = ItemCount> {
  readonly items: readonly Item[];
  readonly moreItems?: number | undefined;
}

export function firstItems<Item>({ items, moreItems = 0 }: Items<Item>, most: number) {
  const more = moreItems + Math.max(items.length - most, 0);
  return { items: items.slice(0, most), ...(more > 0 && { moreItems: more }) };
}

/** "2 × Title" */
export function itemCount(item: ItemCount, locale: Locale, max: number): string {
  const count = `${quantity(item.quantity, locale)} × `;
  return count + plain(item.title, Math.max(max - count.length, 8), texts(locale).products.untitled);
}

/** "2 × Title · 10.00 each · 20.00", or "1 × Title · 10.00" */
export function pricedItem(item: ItemCount & { readonly price: number }, ctx: ViewContext): string {
  const name = itemCount(item, ctx.locale, 160);
  const price = money(item.price, ctx);
  if (item.quantity === 1) return `${name} · ${price}`;
  return [name, texts(ctx.locale).orders.each(price), money(item.price * item.quantity, ctx)].join(" · ");
}

/** "2 × Title, 1 × Other, … and 3 more", at most `max` units. `max` is at least 40. */
export function itemSummary({ items, moreItems = 0 }: Items, locale: Locale, max: number): string {
  const rest = (left: number) => andMore(left, locale);
  const [first, ...others] = items;
  if (first === undefined) return moreItems > 0 ? rest(moreItems) : texts(locale).orders.noItems;
  const room = max - (others.length + moreItems > 0 ? `, ${rest(items.length + moreItems)}`.length : 0);
  let line = itemCount(first, locale, room);
  for (const [index, item] of others.entries()) {
    const longer = `${line}, ${itemCount(item, locale, 60)}`;
    if (longer.length > room) return `${line}, ${rest(others.length - index + moreItems)}`;
    line = longer;
  }
  return moreItems > 0 ? `${line}, ${rest(moreItems)}` : line;
}
