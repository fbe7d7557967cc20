import { texts } from "../../locales/texts.ts";
import type { Order } from "../../store-api/schemas.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { listPage, type SessionPage } from "../parts/list-page.ts";
import { customerLine } from "../parts/masked-customer.ts";
import { money } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { shortId } from "../parts/text.ts";
import { relativeTime } from "../parts/time.ts";
import { type Takes, takeLine } from "./handling.ts";
import { itemSummary } from "./order-lines.ts";
import { statusView, statusWord } from "./status.ts";

export function orderEntry(order: Order, ctx: ViewContext) {
  const status = statusView(order.status, ctx.locale, 30);
  const customer = customerLine(order.customer, ctx.privacy, 60);
  const total = money(order.pricing.total, ctx);
  const titles = order.items.map((item) => ({ title: item.productTitle, quantity: item.quantity }));
  const items = itemSummary({ ...order, items: titles }, ctx.locale, 120);
  return {
    text: [
      `${status.emoji} ${shortId(order.id)} · ${status.text} · **${total}** · ${relativeTime(order.createdAt)}`,
      `-# ${items}${customer === undefined ? "" : ` · ${customer}`}`,
    ].join("\n"),
    option: {
      value: order.id,
      name: `${order.id.slice(0, 8)} · ${order.items[0]?.productTitle || texts(ctx.locale).orders.noItems}`,
      description: `${statusWord(order.status, ctx.locale)} · ${total}`,
    },
  };
}

/** `filter` is finished markdown. Its texts have at most 350 UTF-16 units in all. */
export function orderPage(
  list: SessionPage<Order> & { readonly filter: readonly string[]; readonly takes?: Takes },
  ctx: ViewContext,
): MessagePayload {
  return listPage(
    {
      ...list,
      ids: customIds.orders,
      say: texts(ctx.locale).orders,
      entry(order) {
        const { text, option } = orderEntry(order, ctx);
        const takes = takeLine(list.takes?.get(order.id), ctx.locale).map((line) => `-# ${line}`);
        return { text: [text, ...takes].join("\n"), option };
      },
    },
    ctx.locale,
  );
}
