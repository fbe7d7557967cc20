import { texts } from "../../locales/texts.ts";
import type { Order } from "../../store-api/schemas.ts";
import { container, message, separator, textBudget, textDisplay } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { fitLines } from "../parts/fit-lines.ts";
import { customerLine } from "../parts/masked-customer.ts";
import { money, quantity } from "../parts/money.ts";
import type { ActionRow, MessagePayload } from "../parts/payload.ts";
import { code } from "../parts/text.ts";
import { when } from "../parts/time.ts";
import { historyLines, type OrderHandling } from "./handling.ts";
import { pricedItem } from "./order-lines.ts";
import { paymentMethod } from "./payment-method.ts";
import { statusView } from "./status.ts";

/** If items do not fit, the card shows only their number. */
export function orderCard(
  order: Order,
  ctx: ViewContext,
  options: { readonly rows?: readonly ActionRow[]; readonly handling?: OrderHandling } = {},
): MessagePayload {
  const { orders: say, common } = texts(ctx.locale);
  const status = statusView(order.status, ctx.locale);
  const customer = customerLine(order.customer, ctx.privacy);
  const head = [
    `### ${status.emoji} ${say.card} · ${status.text}`,
    `${common.id}: ${code(order.id, 110)}`,
    `${say.placed}: ${when(order.createdAt)}`,
  ].join("\n");
  const sums = [
    `${say.subtotal}: ${money(order.pricing.subtotal, ctx)}`,
    ...(order.pricing.discount === 0 ? [] : [`${say.discount}: ${money(order.pricing.discount, ctx)}`]),
    `**${say.total}: ${money(order.pricing.total, ctx)}**`,
  ].join("\n");
  const facts = [
    `${say.payment}: ${paymentMethod(order.paymentMethod, ctx.locale, 100)}`,
    ...(customer === undefined ? [] : [`${say.customer}: ${customer}`]),
    ...(options.handling ? historyLines(options.handling, ctx.locale) : []),
  ].join("\n");
  const { moreItems = 0 } = order;
  const itemsHead = `**${say.items(quantity(order.items.length + moreItems, ctx.locale))}**`;
  const room = textBudget - head.length - sums.length - facts.length - itemsHead.length;
  const items = fitLines(
    order.items,
    (item) => pricedItem({ ...item, title: item.productTitle }, ctx),
    room,
    ctx.locale,
    moreItems,
  );
  return message([
    container(status.color, [
      textDisplay(head),
      separator(),
      textDisplay(`${itemsHead}\n${items || say.noItems}`),
      separator(),
      textDisplay(sums),
      separator(),
      textDisplay(facts),
    ]),
    ...(options.rows ?? []),
  ]);
}
