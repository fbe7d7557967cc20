import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { ViewContext } from "../parts/context.ts";
import { money, quantity } from "../parts/money.ts";
import { plain } from "../parts/text.ts";

export interface ItemCount {
  readonly title: string;
  readonly quantity: number;
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
export function itemSummary(items: readonly ItemCount[], locale: Locale, max: number): string {
  const say = texts(locale);
  if (items.length === 0) return say.orders.noItems;
  const [first, ...others] = items;
  const rest = (left: number) => `, ${say.common.more(quantity(left, locale))}`;
  const room = max - (others.length > 0 ? rest(items.length).length : 0);
  let line = first === undefined ? "" : itemCount(first, locale, room);
  for (const [index, item] of others.entries()) {
    const longer = `${line}, ${itemCount(item, locale, 60)}`;
    if (longer.length > room) return line + rest(others.length - index);
    line = longer;
  }
  return line;
}
