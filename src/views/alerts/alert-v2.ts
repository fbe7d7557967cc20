import { texts } from "../catalogue/catalogue.ts";
import { customerLine } from "../orders/customer.ts";
import { itemCount, itemSummary } from "../orders/order-lines.ts";
import { type StatusView, statusView } from "../orders/status.ts";
import { accent, button, container, menuRow, message, row, textBudget, textDisplay } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { money, quantity } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { code, fitLines, plain, shortId } from "../parts/text.ts";
import { relativeTime, when } from "../parts/time.ts";
import { type AlertOrder, alertBatchSize } from "./alert-message.ts";

/** One order in full, with a button that opens it (`order:open:<id>`) where its id fits. */
function single(order: AlertOrder, ctx: ViewContext) {
  const { alerts: say, orders, common } = texts(ctx.locale);
  const status = statusView(order.status, ctx.locale);
  const customer = order.customer && customerLine(order.customer, ctx.privacy);
  const since = order.changedAt === undefined ? status.text : say.changed(status.text, relativeTime(order.changedAt));
  const head = [`### ${status.emoji} ${say.newOrder} · ${since}`, `${common.id}: ${code(order.id, 110)}`];
  const facts = [
    `**${orders.total}: ${money(order.total, ctx)}**`,
    `${orders.payment}: ${plain(order.paymentMethod, 100)}`,
    `${orders.placed}: ${when(order.createdAt)}`,
    ...(customer === undefined ? [] : [`${orders.customer}: ${customer}`]),
  ];
  const room = 2_000; // An alert is read at a glance; the button opens the rest.
  const items = fitLines(
    order.items,
    (item) => itemCount(item, ctx.locale, 160),
    room,
    (left) => common.more(quantity(left, ctx.locale)),
  );
  const open = customIds.order.buttons.open.makeIfFits({ id: order.id });
  return [
    container(status.color, [
      textDisplay(head.join("\n")),
      textDisplay(items || orders.noItems),
      textDisplay(facts.join("\n")),
    ]),
    ...(open === undefined ? [] : [row(button(open, common.open, { style: "primary" }))]),
  ];
}

/** One order of several: two lines of at most `max` units (145 or more). */
function brief(order: AlertOrder, status: StatusView, ctx: ViewContext, max: number): string {
  const customer = order.customer && customerLine(order.customer, ctx.privacy, 40);
  const time =
    order.changedAt === undefined ? relativeTime(order.createdAt) : `${status.text} ${relativeTime(order.changedAt)}`;
  const first = [
    `${status.emoji} ${shortId(order.id)} **${money(order.total, ctx)}**`,
    plain(order.paymentMethod, 12),
    time,
  ].join(" · ");
  const left = max - first.length - 1;
  const items = itemSummary(order.items, ctx.locale, left);
  const line = `${first}\n${items}`;
  return customer !== undefined && line.length + customer.length + 3 <= max ? `${line} · ${customer}` : line;
}

/** Several orders, in the order given, and a menu that opens one (`order:pick`, values are the ids). */
function several(orders: readonly AlertOrder[], ctx: ViewContext) {
  const { alerts: say, orders: words } = texts(ctx.locale);
  const head = `### 🔔 ${say.newOrders(orders.length)}`;
  const each = Math.floor((textBudget - head.length - 30) / orders.length) - 1;
  const shown = orders.map((order) => ({ order, status: statusView(order.status, ctx.locale, 20) }));
  const colors = new Set(shown.map(({ status }) => status.color));
  const [color = accent] = colors;
  return [
    container(colors.size === 1 ? color : accent, [
      textDisplay(head),
      textDisplay(shown.map(({ order, status }) => brief(order, status, ctx, each)).join("\n")),
    ]),
    ...menuRow(
      customIds.order.menus.pick.make({}),
      say.pick,
      orders.map((order) => ({
        value: order.id,
        label: `${order.id.slice(0, 8)} · ${order.items[0]?.title || words.noItems}`,
        description: `${order.status} · ${money(order.total, ctx)}`,
      })),
    ),
  ];
}

/**
 * An alert as 0.1.0 posted it, in Components V2: such a message cannot be made a classic one, so its edits stay what it is.
 * Of one to {@link alertBatchSize} orders (throws a `RangeError` for any other number).
 */
export function alertEditV2(orders: readonly AlertOrder[], ctx: ViewContext, roleId?: string): MessagePayload {
  const [first] = orders;
  if (first === undefined || orders.length > alertBatchSize) {
    throw new RangeError(`an alert holds 1 to ${alertBatchSize} orders, not ${orders.length}`);
  }
  return message(
    [
      ...(roleId === undefined ? [] : [textDisplay(`<@&${roleId}>`)]),
      ...(orders.length === 1 ? single(first, ctx) : several(orders, ctx)),
    ],
    roleId === undefined ? [] : [roleId],
  );
}
