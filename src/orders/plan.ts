import type { Guild } from "../guilds/guild.ts";
import { type ProductCategories, routesFor, statusesOf } from "../routing/match-rules.ts";
import {
  hasStatus,
  isClosed,
  meaningOf,
  sameStatus,
  statusKey,
  tellsRefunds,
  withStatus,
} from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { toAlertOrder } from "./alert-order.ts";
import type { Change, Orders, Outbox } from "./ledger.ts";
import { closed } from "./ledger.ts";
import { isDealtWith, type OrderRow, type PostedOrder } from "./order-row.ts";
import type { RowOf } from "./outbox-row.ts";
import { replyKey } from "./outbox-row.ts";

/** The causes of a reply to an alert, once each: the order was paid, or paid back. */
export type ReplyCause = RowOf<"reply">["what"];

/** The input of planning besides the order and its row. */
export interface Planning {
  readonly guild: Guild;
  readonly categories: ProductCategories;
  /** Encrypts the customer of an order. */
  seal(orderId: string, customer: Order["customer"]): string;
  /** Epoch ms. */
  readonly now: number;
  /** Since when messages about an order found at `foundAt` may have been posted before the storage was restored (epoch ms). */
  sentSince(foundAt: number): number | undefined;
}

/** An order as the store shows it. */
export interface ObservedOrder {
  readonly order: Order;
  /** Whether an alert is due, unless that was decided on before. */
  readonly isFresh: boolean;
  /** Since when (epoch ms) its messages may have been posted already; undefined if they were not. */
  readonly since: number | undefined;
}

const isGood = (status: string) => meaningOf(status).stage === "good";
/** Whether an order was paid back, or a person asked for that. */
export const isReversed = (status: string): boolean => meaningOf(status).stage === "reversed";

/**
 * Whether a status means paid, if payments are among the alerted `statuses`. A good status does if any good status was chosen, because a
 * paid order may be delivered by the time it is seen. A status of the store's own does if it was chosen itself.
 */
export function isPaid(status: string, statuses: readonly string[]): boolean {
  if (isGood(status)) return statuses.some(isGood);
  return meaningOf(status).stage === "unknown" && hasStatus({ status }, statuses);
}

/**
 * The reply that is due when a posted order comes to the status `now`. "Paid" is due if the alert did not show the order as paid. Two
 * chosen statuses of the store's own both count as paid, because it is not known which one is; before a good status, one of the store's
 * own does not count as paid.
 */
function replyDue(
  { paid, refunded, facts }: PostedOrder,
  now: string,
  statuses: readonly string[],
  outbox: Outbox,
): ReplyCause | undefined {
  const isWaiting = (what: ReplyCause) => outbox.has(replyKey(what, facts.id));
  if (isReversed(now)) return !refunded && !isWaiting("refunded") && tellsRefunds(statuses) ? "refunded" : undefined;
  const wasPaid = isGood(facts.status) || (isPaid(facts.status, statuses) && !isGood(now));
  return !paid && !isWaiting("paid") && !wasPaid && isPaid(now, statuses) ? "paid" : undefined;
}

/**
 * Whether a rule has alerted the staff of this status already, or of the payment before: a paid order may be delivered by the time it is
 * seen.
 */
const isAlertedByRule = (alertedFor: readonly string[], now: string, statuses: readonly string[]) =>
  alertedFor.some((one) => sameStatus(one, now) || (isPaid(now, statuses) && isGood(one) && isPaid(one, statuses)));

/**
 * Whether an order may still come to a status with a "paid" reply, so that it is followed until then. An order that failed or expired may
 * be paid late.
 */
function mayBePaid({ paid, facts }: PostedOrder, statuses: readonly string[]): boolean {
  const { stage } = meaningOf(facts.status);
  const isOver = stage === "good" || stage === "reversed";
  const isWaitedFor = statuses.some((one) => meaningOf(one).stage !== "waiting" && isPaid(one, statuses));
  return !paid && !isOver && isWaitedFor;
}

/** The change when a posted order comes to another status than its message shows: its row, and perhaps a reply. */
function move(row: PostedOrder, status: string, outbox: Outbox, { guild, now, sentSince }: Planning): Change {
  const statuses = guild.alerts?.statuses ?? [];
  const { id } = row.facts;
  const { channelId, messageId, route } = row.stand;
  const facts = { ...row.facts, status, changedAt: now };
  const due = replyDue(row, status, statuses, outbox);
  const isSaid = due !== undefined && isAlertedByRule(row.alertedFor ?? [], status, statuses);
  const since = sentSince(row.foundAt);
  // Whether a waiting reply is still true is checked when it is sent.
  const waiting = (["paid", "refunded"] as const).flatMap((what) => outbox.get(replyKey(what, id)) ?? []);
  // The message has shown the order as paid, also if payments were not alerted then.
  const wasPaid = !outbox.has(replyKey("paid", id)) && (isGood(row.facts.status) || isPaid(row.facts.status, statuses));
  const said = {
    ...((wasPaid || (isSaid && due === "paid")) && { paid: true as const }),
    ...(isSaid && due === "refunded" && { refunded: true as const }),
  };
  const reply = { kind: "reply" as const, facts, channelId, messageId, route, foundAt: now, since, attempts: [] };
  return {
    orders: [[id, { ...row, facts, ...said }]],
    put: [
      ...waiting.flatMap((row) => (row.kind === "reply" ? [{ ...row, facts }] : [])),
      ...(due && !isSaid ? [{ ...reply, what: due }] : []),
    ],
  };
}

/** The row that has the message of a posted order rendered again. */
function editOf({ stand }: PostedOrder, foundAt: number, customer?: string): RowOf<"edit"> {
  const { channelId, messageId, members } = stand;
  return { kind: "edit", channelId, messageId, orderIds: members, customer, foundAt, attempts: [] };
}

/**
 * The change when the alert of a planned order was posted.
 *
 * @param shown the status in which the alert shows the order; undefined if that is not known: then the message is edited
 */
export function posted(
  row: PostedOrder,
  shown: string | undefined,
  outbox: Outbox,
  customer: string | undefined,
  by: Planning,
): Change {
  const { status } = row.facts;
  if (shown === undefined) return { orders: [[row.facts.id, row]], put: [editOf(row, by.now, customer)] };
  if (sameStatus(shown, status)) return { orders: [[row.facts.id, row]] };
  const before = { ...row, facts: { ...row.facts, status: shown } };
  const change = move(before, status, outbox, by);
  return { ...change, put: [...(change.put ?? []), editOf(row, by.now, customer)] };
}

/** Whether no further change of an order is to be shown. */
export const isOverFor =
  (statuses: readonly string[]) =>
  (row: PostedOrder): boolean =>
    isClosed(row.facts.status) && !mayBePaid(row, statuses);

/** Closes the orders of one message that are over. Their facts are kept while another order of the message may change. */
export function close(members: Orders, isOver: (row: PostedOrder) => boolean): Change {
  const posted = [...members].flatMap(([id, row]) => ("stand" in row ? [[id, row] as const] : []));
  const over = posted.filter(([, row]) => row.state === "kept" || isOver(row));
  const isAll = over.length === posted.length;
  const next = (row: PostedOrder): OrderRow => (isAll ? closed(row) : { ...row, state: "kept" });
  return { orders: over.map(([id, row]) => [id, next(row)]) };
}

/** The change that an order of the store causes: its row, and messages not decided on before. Undefined for no change. */
export function plan(
  sighting: ObservedOrder,
  row: OrderRow | undefined,
  outbox: Outbox,
  by: Planning,
): Change | undefined {
  const { order, isFresh, since } = sighting;
  const { guild, categories, now, seal } = by;
  const { id } = order;
  const routes = guild.routes ?? [];
  const key = statusKey(order.status);
  const isNew = isFresh && !isDealtWith(row);
  const isEntering = withStatus(statusesOf(routes))(order) && !row?.seen?.includes(key);
  const hasMoved =
    row !== undefined && "facts" in row && row.state !== "kept" && !sameStatus(row.facts.status, order.status);
  if (!isNew && !isEntering && !hasMoved) return undefined;

  const { customer, ...facts } = toAlertOrder(order, guild.settings.privacy);
  const { staff, isUnsure, feeds } = routesFor(routes, order, categories, { isNew, isEntering });
  const isRule = !isNew && staff !== undefined;
  const seen = isEntering ? [...(row?.seen ?? []), key] : row?.seen;
  const alertedFor = isRule ? [...(row?.alertedFor ?? []), key] : row?.alertedFor;
  const noted = { ...(seen && { seen }), ...(alertedFor && { alertedFor }) };
  const rules = (isRule ? [staff, ...feeds] : feeds).map(
    (route): RowOf<"rule"> => ({ kind: "rule", route: route.id, facts, foundAt: now, since, attempts: [] }),
  );
  if (isNew) {
    const sealed = customer && { customer: seal(id, customer) };
    const by = { ...(staff && { route: staff.id }), ...(isUnsure && { isUnsure: true as const }) };
    const alert: RowOf<"alert"> = { kind: "alert", orderId: id, ...sealed, ...by, foundAt: now, since, attempts: [] };
    return { orders: [[id, { ...noted, state: "planned", facts, foundAt: now }]], put: [alert, ...rules] };
  }
  if (row === undefined) return { orders: [[id, { ...noted, state: "noticed" }]], put: rules };
  if (!hasMoved) return { orders: [[id, { ...row, ...noted }]], put: rules };
  // The alert shows the order as it is when the alert is sent.
  if (row.state === "planned") {
    return { orders: [[id, { ...row, ...noted, facts: { ...row.facts, status: order.status } }]], put: rules };
  }
  if (row.state !== "open") return { orders: [[id, { ...row, ...noted }]], put: rules };
  const moved = move({ ...row, ...noted }, order.status, outbox, by);
  const sealed = customer && row.stand.members.length === 1 ? seal(id, customer) : undefined;
  return { ...moved, put: [...rules, ...(moved.put ?? []), editOf(row, now, sealed)] };
}
