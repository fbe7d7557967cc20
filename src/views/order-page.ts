import type { Order } from "../store-api/schemas.ts";
import { texts } from "./catalogue/catalogue.ts";
import { ACCENT } from "./components.ts";
import type { ViewContext } from "./context.ts";
import { customerLine } from "./customer.ts";
import { listPage, PAGE_SIZE, type Paging } from "./list-page.ts";
import { money } from "./money.ts";
import { itemSummary } from "./order-lines.ts";
import type { MessagePayload } from "./payload.ts";
import { statusView } from "./status.ts";
import { shortId } from "./text.ts";
import { relativeTime } from "./time.ts";

function entry(order: Order, ctx: ViewContext) {
  const status = statusView(order.status, ctx.locale, 30);
  const customer = customerLine(order.customer, ctx.privacy, 60);
  const total = money(order.pricing.total, ctx);
  const titles = order.items.map((item) => ({ title: item.productTitle, quantity: item.quantity }));
  const items = itemSummary(titles, ctx.locale, 120);
  return {
    text: [
      `${status.emoji} ${shortId(order.id)} · ${status.text} · **${total}** · ${relativeTime(order.createdAt)}`,
      `-# ${items}${customer === undefined ? "" : ` · ${customer}`}`,
    ].join("\n"),
    option: {
      value: order.id,
      label: `${order.id.slice(0, 8)} · ${order.items[0]?.productTitle || texts(ctx.locale).orders.noItems}`,
      description: `${order.status} · ${total}`,
    },
  };
}

/** A page of orders (`PAGE_SIZE` at most are shown). Custom ids: `orders:page|open:<session>:<page>`, `orders:jump:<session>:<last page>`. */
export function orderPage(list: Paging & { readonly orders: readonly Order[] }, ctx: ViewContext): MessagePayload {
  const say = texts(ctx.locale).orders;
  return listPage(
    {
      ...list,
      command: "orders",
      color: ACCENT,
      title: say.list,
      empty: say.empty,
      emptyPage: say.emptyPage,
      pick: say.pick,
      entries: list.orders.slice(0, PAGE_SIZE).map((order) => entry(order, ctx)),
    },
    ctx.locale,
  );
}
