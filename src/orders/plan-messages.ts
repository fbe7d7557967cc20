import type { Guild } from "../guilds/guild.ts";
import { type ProductCategories, rulesFor } from "../routing/match-rules.ts";
import { isClosed, isGood, isPaid, sameStatus, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { toAlertOrder } from "./alert-order.ts";
import type { Change, Orders, Outbox } from "./ledger.ts";
import { closed, isPosted, type OrderRow, type PostedOrder } from "./order-row.ts";
import { type OutboxRow, type RowOf, replyKey } from "./outbox-row.ts";
import { isAlertedByRule, mayBePaid, replyDue } from "./reply-due.ts";
import { newsOf, triggersOf } from "./triggers.ts";

export interface Planning {
  readonly guild: Guild;
  readonly categories: ProductCategories;
  seal(orderId: string, customer: Order["customer"]): string;
  /** Epoch ms. */
  readonly now: number;
  /**
   * The earliest time (epoch ms) at which the message of a row may have been posted without a record. Undefined if this is
   * impossible.
   */
  sinceOf(row: Pick<OutboxRow, "foundAt" | "since">): number | undefined;
}

export interface ObservedOrder {
  readonly order: Order;
  /** As `RestoredCopy.sinceOfOrder` returns it for this order. */
  readonly since: number | undefined;
}

/** A posted order got another status: its row, the replies that become due, and the edit of its alert. */
function move(row: PostedOrder, status: string, outbox: Outbox, { guild, now, sinceOf }: Planning, customer?: string) {
  const statuses = guild.alerts?.statuses ?? [];
  const { id } = row.facts;
  const { channelId, messageId, route } = row.stand;
  const isFirstChange = row.facts.changedAt === undefined;
  const paidAtFirst = isFirstChange && isGood(row.facts.status) ? { wasPaidAtFirst: true as const } : {};
  const facts = { ...row.facts, ...paidAtFirst, status, changedAt: now };
  const due = replyDue(row, status, statuses, outbox);
  const isSaid = due !== undefined && isAlertedByRule(row.alertedFor ?? [], status, statuses);
  const since = sinceOf(row);
  // The sender drops a waiting reply if the new status makes it untrue.
  const waiting = (["paid", "refunded"] as const).flatMap((what) => outbox.get(replyKey(what, id)) ?? []);
  // If the alert has shown the order as paid, no reply follows, even if a person later chooses alerts about payments.
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
      editOf(row, now, customer),
    ],
  } satisfies Change;
}

export function editOf({ stand }: PostedOrder, foundAt: number, customer?: string): RowOf<"edit"> {
  const { channelId, messageId, members } = stand;
  return { kind: "edit", channelId, messageId, orderIds: members, customer, foundAt, attempts: [] };
}

/**
 * The change to commit when an order's alert was posted.
 *
 * @param shown the status that the alert shows. Undefined if that is unknown; then the alert is edited
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
  return move({ ...row, facts: { ...row.facts, status: shown } }, status, outbox, by, customer);
}

/** An order is over if it is cancelled or refunded, and no payment is expected. */
export const isOverFor =
  ({ alerts }: Guild) =>
  (row: PostedOrder): boolean =>
    isClosed(row.facts.status) && !mayBePaid(row, alerts?.statuses ?? []);

/** Ends the orders that are over. They become `closed`, or `kept` if another order of their message is still followed. */
export function close(members: Orders, isOver: (row: PostedOrder) => boolean): Change {
  const posted = [...members].flatMap(([id, row]) => (isPosted(row) ? [[id, row] as const] : []));
  const over = posted.filter(([, row]) => row.state === "kept" || isOver(row));
  const isAll = over.length === posted.length;
  const next = (row: PostedOrder): OrderRow => (isAll ? closed(row) : { ...row, state: "kept" });
  return { orders: over.map(([id, row]) => [id, next(row)]) };
}

/** What follows from an order that the store shows: its new row, and the messages that become due. */
export function planMessages(
  observed: ObservedOrder,
  row: OrderRow | undefined,
  outbox: Outbox,
  by: Planning,
): Change | undefined {
  const { order, since } = observed;
  const { guild, categories, now, seal } = by;
  const { id } = order;
  const routes = guild.routes ?? [];
  const key = statusKey(order.status);
  const news = newsOf(order, row, triggersOf(guild));
  if (news === undefined) return undefined;

  const { isNew, moved, seen } = news;
  const { customer, ...facts } = toAlertOrder(order, guild.settings.privacy);
  const { staff, isUnsure, feeds } = rulesFor(routes, order, categories, news);
  const isRule = !isNew && staff !== undefined;
  const alertedFor = isRule ? [...(row?.alertedFor ?? []), key] : row?.alertedFor;
  const noted = { seen, alertedFor, formerPlace: row?.formerPlace };
  const rules = (isRule ? [staff, ...feeds] : feeds).map(
    (route): RowOf<"rule"> => ({ kind: "rule", route: route.id, facts, foundAt: now, since, attempts: [] }),
  );
  if (isNew) {
    const alert: RowOf<"alert"> = {
      kind: "alert",
      orderId: id,
      customer: customer && seal(id, customer),
      route: staff?.id,
      isUnsure: isUnsure || undefined,
      foundAt: now,
      since,
      attempts: [],
    };
    return { orders: [[id, { ...noted, state: "planned", facts, foundAt: now }]], put: [alert, ...rules] };
  }
  if (!moved) return { orders: [[id, { ...(row ?? { state: "noticed" as const }), ...noted }]], put: rules };
  // The alert is not recorded as posted yet. If it shows an earlier status, `posted` will add an edit.
  if (moved.state === "planned") {
    return { orders: [[id, { ...moved, ...noted, facts: { ...moved.facts, status: order.status } }]], put: rules };
  }
  const sealed = customer && moved.stand.members.length === 1 ? seal(id, customer) : undefined;
  const change = move({ ...moved, ...noted }, order.status, outbox, by, sealed);
  return { ...change, put: [...rules, ...change.put] };
}
