import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  lastOf,
  type MessageTruth,
  type OrderTruth,
} from "../world/record.ts";
import { finding, kindOf, lineOf, messagesOf, name, once, stays, wasRestored } from "./reading.ts";
import { possibleIn } from "./settings.ts";

const minute = 60_000;
/** Orders that left a list are asked for by their ids, five in a poll. */
const askedAtOnce = 5;

export const words: Readonly<Record<string, string>> = {
  PENDING: "Pending",
  PROCESSING: "Processing",
  PAID: "Paid",
  CANCELLED: "Cancelled",
  EXPIRED: "Expired",
  FAILED: "Failed",
  REFUNDED: "Refunded",
  DELIVERED: "Delivered",
};

/** An order is followed until it is cancelled or paid back. */
const closed: readonly (string | undefined)[] = ["CANCELLED", "REFUNDED"];
/** Each order that has left the lists is looked at in its turn. */
const betweenLooksMs = 15_000;

/** What the alert may say in the end. */
function allowedOf(order: OrderTruth, endsAt: number): string[] {
  const all = stays(order).flatMap(({ from, status }) => (from < endsAt && status !== undefined ? [status] : []));
  return [...all.slice(-1), ...all.filter((status) => closed.includes(status))];
}

/** From the last change of an order until its alert says so, where nothing is wrong. */
export const msToShow = once(({ setup, orders }) => {
  const pages = Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100));
  const changed = [...orders.values()].filter(({ statuses }) => statuses.length > 1).length;
  return (4 + 2 * pages + changed / askedAtOnce) * setup.pollMs + changed * betweenLooksMs;
});

function look(evidence: Evidence, message: MessageTruth, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, setup, troubles } = evidence;
  const all = stays(order).filter(({ from }) => from < endsAt);
  const last = all.at(-1);
  // What the store does not have any more says nothing of itself.
  if (last === undefined || all.some(({ status }) => status === undefined)) return [];
  if (Math.max(last.from, calmFrom, message.at) + msToShow(evidence) > endsAt - minute || last.from > calmFrom)
    return [];
  // A store that says twice, a poll apart, that it has no such order is believed.
  if (troubles.some(({ how, from, to }) => how === "not-found" && to > message.at && to - from >= setup.pollMs))
    return [];
  // What Discord refuses for certain, twice, is not tried again.
  if (troubles.some(({ how, to }) => how === "refused" && to > last.from)) return [];
  // In Discord, what is deleted does not come back, and its alert is left alone.
  if (
    troubles.some(({ how, channelId, to }) => how === "deleted" && channelId === message.channelId && to > message.at)
  )
    return [];
  // Of two that stand there without Discord's help, the bot knows one.
  if (!setup.discord.nonces && messagesOf(evidence, "alert", order.id).length > 1) return [];
  // Alerts that were turned off meanwhile are not followed any more, nor what another ledger knows.
  if (possibleIn(evidence, order.placedAt, endsAt).some(({ alerts }) => alerts === undefined)) return [];
  const line = lineOf(lastOf(message), order);
  const allowed = allowedOf(order, endsAt);
  if (line === undefined || allowed.some((status) => line.includes(words[status] ?? "?"))) return [];
  const should = [...new Set(allowed)].join(" or ");
  return finding(
    "stale alert",
    `${name(order)}, alerted at ${clockOf(message.at)}, says "${line}", not ${should} as since ${clockOf(last.from)}`,
  );
}

/** In the end an alert says what the store says. */
export const statuses: Checker = (evidence) => {
  if (wasRestored(evidence)) return [];
  return evidence.messages
    .filter((message) => kindOf(message) === "alert")
    .flatMap((message) =>
      lastOf(message).orders.flatMap((id) => {
        const order = evidence.orders.get(id);
        return order === undefined ? [] : look(evidence, message, order);
      }),
    );
};
