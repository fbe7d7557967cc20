import type { APIEmbed } from "discord.js";
import { texts } from "../../locales/texts.ts";
import { isGood } from "../../store-api/order-status.ts";
import { alertRow, handlingLines, hasButtons, noTakes, openButton, type Takes } from "../orders/handling.ts";
import { firstItems, type Items, itemCount, itemSummary } from "../orders/order-lines.ts";
import { paymentMethod } from "../orders/payment-method.ts";
import { type StatusView, statusView, statusWord } from "../orders/status.ts";
import { accent, buttonRow, menuRow, textBudget } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds, parseCustomId } from "../parts/custom-ids.ts";
import { fitLines } from "../parts/fit-lines.ts";
import { type Customer, customerLine } from "../parts/masked-customer.ts";
import { money, quantity } from "../parts/money.ts";
import { classicMessage } from "../parts/notice.ts";
import type { ActionRow, PostPayload } from "../parts/payload.ts";
import { label, shortId } from "../parts/text.ts";
import { isoTime, relativeTime } from "../parts/time.ts";

/**
 * A menu has at most 25 options. In an embed with 25 orders, each order has room for 150 characters: two lines with status,
 * total, payment method, time, id and at least 40 characters of items.
 */
export const alertBatchSize = 25;

export interface AlertOrder extends Items {
  readonly id: string;
  readonly status: string;
  readonly total: number;
  readonly paymentMethod: string;
  /** Epoch ms. */
  readonly createdAt?: number | undefined;
  readonly customer?: Customer;
  /** When the bot last saw the status change (epoch ms). Undefined if it has not changed since the alert. */
  readonly changedAt?: number;
  /** Set if the order was paid at the time of its alert, and its status has changed since. */
  readonly wasPaidAtFirst?: true;
}

/** If true, the alert says that the order is paid, even after its status has changed. */
const isPaidAtFirst = ({ status, changedAt, wasPaidAtFirst }: AlertOrder) =>
  wasPaidAtFirst ?? (changedAt === undefined && isGood(status));

/** Lengths in this file are in UTF-16 units, as at Discord. A locked phone shows two to four lines of about 40 characters. */
const lineItems = 80;
/** The button Open shows the rest. */
const itemsLength = 2_000;
/** In a message for several orders, each order gets at most this many units. Otherwise one could fill a phone's screen. */
const briefLength = 300;

const stateOf = ({ text }: StatusView, { changedAt }: AlertOrder) =>
  changedAt === undefined ? text : `${text} · ${relativeTime(changedAt)}`;

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== "").join(" · ");

const itemsOf = (order: Items, { locale }: ViewContext, max: number) =>
  order.items.length === 0 && !order.moreItems ? "" : itemSummary(order, locale, max);

const paymentOf = (order: AlertOrder, { locale }: ViewContext, max: number) =>
  order.paymentMethod && paymentMethod(order.paymentMethod, locale, max);

function lineOf(what: string, order: AlertOrder, ctx: ViewContext): string {
  const { items, moreItems } = firstItems(order, 1);
  const first = itemsOf({ items }, ctx, lineItems);
  const others = moreItems ? [`+${quantity(moreItems, ctx.locale)}`] : [];
  return joined(what, money(order.total, ctx), paymentOf(order, ctx, 30), [first, ...others].join(" ").trim());
}

const replies = ["reminder", "refund"] as const;
/** Replies about payments are not in this type, because they have the same custom ids as alerts. */
type Reply = (typeof replies)[number];

/** `marks` are the custom ids of a message. Undefined if the message is no reminder and no reply about a refund. */
export const replyOf = (marks: readonly string[]): Reply | undefined =>
  replies.find((reply) => marks.some((mark) => parseCustomId(mark)?.args.at(-1) === reply));

/** The buttons that take the order are on its alert. */
const openRow = ({ id }: AlertOrder, { locale }: ViewContext, of?: Reply): ActionRow[] =>
  hasButtons(id) ? buttonRow(openButton(id, locale, of)) : [];

const pickRow = (orders: readonly AlertOrder[], ctx: ViewContext, of?: Reply): ActionRow[] =>
  menuRow(
    customIds.order.menus.pick.make({ of }),
    texts(ctx.locale).orders.pick,
    orders
      .filter(({ id }) => hasButtons(id))
      .map((order) => ({
        value: order.id,
        name: joined(order.id.slice(0, 8), order.items[0]?.title ?? ""),
        description: `${statusWord(order.status, ctx.locale)} · ${money(order.total, ctx)}`,
      })),
  );

function sumOf(orders: readonly AlertOrder[], ctx: ViewContext): string {
  return money(
    orders.reduce((total, order) => total + order.total, 0),
    ctx,
  );
}

function singleEmbed(order: AlertOrder, ctx: ViewContext): APIEmbed {
  const { orders: words, common } = texts(ctx.locale);
  const status = statusView(order.status, ctx.locale);
  const total = money(order.total, ctx);
  const payment = paymentOf(order, ctx, 100);
  const customer = order.customer && customerLine(order.customer, ctx.privacy);
  const items = fitLines(
    order.items,
    (item) => itemCount(item, ctx.locale, 160),
    itemsLength,
    ctx.locale,
    order.moreItems,
  );
  return {
    color: status.color,
    title: `${status.emoji} ${total}`,
    ...(items && { description: items }),
    fields: [
      ...(payment ? [{ name: words.payment, value: payment, inline: true }] : []),
      { name: words.status, value: stateOf(status, order), inline: true },
      ...(customer === undefined ? [] : [{ name: words.customer, value: customer }]),
    ],
    footer: { text: label(`${common.id} ${order.id}`, 200) },
    ...isoTime(order.createdAt),
  };
}

/** Two lines, together at most `max` units. `max` is at least 150. */
function brief(order: AlertOrder, status: StatusView, ctx: ViewContext, max: number): string {
  const first = joined(
    `${status.emoji} **${money(order.total, ctx)}**`,
    paymentOf(order, ctx, 12),
    stateOf(status, order),
    order.changedAt === undefined ? relativeTime(order.createdAt) : "",
  );
  const id = shortId(order.id);
  return `${first}\n${joined(id, itemsOf(order, ctx, max - first.length - id.length - 4))}`;
}

function severalEmbed(orders: readonly AlertOrder[], title: string, ctx: ViewContext): APIEmbed {
  const shown = orders.map((order) => ({ order, status: statusView(order.status, ctx.locale, 20) }));
  const [color = accent, ...others] = new Set(shown.map(({ status }) => status.color));
  const each = Math.min(Math.floor((textBudget - title.length) / orders.length) - 1, briefLength);
  return {
    color: others.length === 0 ? color : accent,
    title,
    description: shown.map(({ order, status }) => brief(order, status, ctx, each)).join("\n"),
  };
}

/**
 * Makes a message about orders, in the given sequence. Mentions `roleId` and nothing else. Throws a `RangeError` if there are
 * no orders, or more than {@link alertBatchSize}.
 */
export function ordersMessage(
  orders: readonly AlertOrder[],
  ctx: ViewContext,
  how: {
    /** The first words of a message about one order, and of a message about several. */
    readonly one: string;
    readonly many: string;
    readonly roleId: string | undefined;
    readonly after?: string;
    readonly takes?: Takes;
    readonly below?: readonly string[];
    /** `alert`: a single order also gets the buttons that take it. Undefined: the message has only lines. */
    readonly embed?: "alert" | "without buttons";
    readonly of?: Reply;
  },
): PostPayload {
  const [first] = orders;
  if (first === undefined || orders.length > alertBatchSize) {
    throw new RangeError(`an alert holds 1 to ${alertBatchSize} orders, not ${orders.length}`);
  }
  const { one, many, roleId, after = "", takes = noTakes, below = [], embed, of } = how;
  const { id } = first;
  const isOne = orders.length === 1;
  const title = `${many} · ${sumOf(orders, ctx)}`;
  const line = isOne ? lineOf(one, first, ctx) : title;
  const ids = orders.map((order) => order.id);
  const lines = [line + after, ...handlingLines(ids, takes, ctx.locale), ...below];
  const embedOf = () => (isOne ? singleEmbed(first, ctx) : severalEmbed(orders, title, ctx));
  const rowOf = () => (embed === "alert" ? alertRow(id, takes.get(id), ctx.locale) : openRow(first, ctx, of));
  return classicMessage(lines.join("\n"), roleId, {
    embeds: embed ? [embedOf()] : [],
    components: isOne ? rowOf() : pickRow(orders, ctx, of),
  });
}

/** An alert about the orders, with the rules and errors of {@link ordersMessage}. */
export function alertMessage(
  orders: readonly AlertOrder[],
  ctx: ViewContext,
  options: {
    readonly roleId?: string;
    readonly sample?: boolean;
    readonly takes?: Takes;
    /** Lines below the first one, for example why the alert is in this channel. */
    readonly notes?: readonly string[];
  } = {},
): PostPayload {
  const { roleId, sample, takes, notes = [] } = options;
  const { alerts: say } = texts(ctx.locale);
  const paid = orders.filter(isPaidAtFirst).length;
  const isPaid = paid === orders.length;
  const newOrders = [say.newOrders(orders.length), ...(paid > 0 ? [say.paidAmongNew(paid)] : [])].join(" · ");
  const items = orders.flatMap((order) => order.items);
  const moreItems = orders.reduce((sum, order) => sum + (order.moreItems ?? 0), 0);
  const shown = itemsOf({ items, moreItems }, ctx, lineItems);
  return ordersMessage(orders, ctx, {
    one: isPaid ? `💰 ${say.paidOrder}` : `🔔 ${say.newOrder}`,
    many: `🔔 ${isPaid ? say.paidOrders(paid) : newOrders}`,
    roleId,
    after: orders.length === 1 || shown === "" ? "" : ` · ${shown}`,
    takes,
    below: [...notes, ...(sample ? [say.sample] : [])],
    embed: "alert",
  });
}

/** A reply does not repeat the ids, because the alert above it has them. */
function idLines(orders: readonly AlertOrder[], { locale }: ViewContext, isReply: boolean): string[] {
  return isReply ? [] : [`${texts(locale).common.id} ${orders.map(({ id }) => shortId(id)).join(", ")}`];
}

/** Tells the role about a payment. */
export function paidMessage(
  orders: readonly AlertOrder[],
  ctx: ViewContext,
  { roleId, isReply }: { readonly roleId: string | undefined; readonly isReply: boolean },
): PostPayload {
  const say = texts(ctx.locale).alerts;
  return ordersMessage(orders, ctx, {
    one: `💰 ${say.paidOrder}`,
    many: `💰 ${say.paidOrders(orders.length)}`,
    roleId,
    below: idLines(orders, ctx, isReply),
  });
}

/** Mentions no role. */
export function refundMessage(
  orders: readonly AlertOrder[],
  ctx: ViewContext,
  { isReply }: { readonly isReply: boolean },
): PostPayload {
  const status = orders[0]?.status ?? "";
  return ordersMessage(orders, ctx, {
    one: `↩️ ${statusView(status, ctx.locale, 40).text}`,
    many: `↩️ ${texts(ctx.locale).alerts.refundedOrders(orders.length)}`,
    roleId: undefined,
    below: idLines(orders, ctx, isReply),
    of: "refund",
  });
}

export function reminderMessage(
  orders: readonly AlertOrder[],
  ctx: ViewContext,
  { takes, roleId, isReply }: { readonly takes: Takes; readonly roleId: string | undefined; readonly isReply: boolean },
): PostPayload {
  const say = texts(ctx.locale).handling;
  const isUntaken = orders.length === 1 && !orders.some(({ id }) => takes.has(id));
  return ordersMessage(orders, ctx, {
    one: `⏰ ${say.waits}`,
    many: `⏰ ${say.wait(orders.length)}`,
    roleId,
    takes,
    below: [...(isUntaken ? [say.nobody] : []), ...idLines(orders, ctx, isReply)],
    of: "reminder",
  });
}
