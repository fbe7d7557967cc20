import {
  clockOf,
  type Evidence,
  type Finding,
  hour,
  lastOf,
  type MessageTruth,
  minute,
  type OrderTruth,
} from "../world/record.ts";
import { finding, lineOf, messagesOf, name, ofEachAlert, once, statusPeriods } from "./reading.ts";
import { surelyOn } from "./settings.ts";

/** Number of orders that left a list, and that the bot asks for in one poll. */
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

/** Statuses after which the bot no longer follows an order. */
const closed: readonly (string | undefined)[] = ["CANCELLED", "REFUNDED"];
/** Time between two requests for orders that left the lists. */
export const betweenLooksMs = 15_000;

/** Number of single orders that the bot asks for after a poll. It grows with the time between polls, up to an hour. */
export const askedInPoll = (pollMs: number) => askedAtOnce + Math.min(pollMs, hour) / betweenLooksMs;

/** The statuses that the alert may show in the end. */
function allowedOf(order: OrderTruth, endsAt: number): string[] {
  const all = statusPeriods(order).flatMap(({ from, status }) =>
    from < endsAt && status !== undefined ? [status] : [],
  );
  return [...all.slice(-1), ...all.filter((status) => closed.includes(status))];
}

/** Longest time from an order's last change until its alert shows it, if there is no trouble. */
export const msToShow = once(({ setup, orders }) => {
  const pages = Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100));
  const changed = [...orders.values()].filter(({ statuses }) => statuses.length > 1).length;
  const looks = changed / askedInPoll(setup.pollMs);
  return (4 + 2 * pages + looks) * setup.pollMs + changed * betweenLooksMs;
});

function look(evidence: Evidence, message: MessageTruth, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, setup, troubles } = evidence;
  const all = statusPeriods(order).filter(({ from }) => from < endsAt);
  const last = all.at(-1);
  // The status of an order that the store no longer has is unknown.
  if (last === undefined || all.some(({ status }) => status === undefined)) return [];
  if (Math.max(last.from, calmFrom, message.at) + msToShow(evidence) > endsAt - minute || last.from > calmFrom)
    return [];
  // If the store says in two polls that the order does not exist, the bot believes it.
  if (troubles.some(({ how, from, to }) => how === "not-found" && to > message.at && to - from >= setup.pollMs))
    return [];
  // The bot does not repeat an edit that Discord has refused twice.
  if (troubles.some(({ how, to }) => how === "refused" && to > last.from)) return [];
  // If the channel was deleted, the alert is gone, and the bot does not edit it again.
  if (
    troubles.some(({ how, channelId, to }) => how === "deleted" && channelId === message.channelId && to > message.at)
  )
    return [];
  // Without enforced nonces an order may have two alerts, and the bot knows only one.
  if (!setup.discord.nonces && messagesOf(evidence, "alert", order.id).length > 1) return [];
  // Alerts are no longer followed after they were turned off.
  if (!surelyOn(evidence, order.placedAt, endsAt)) return [];
  const line = lineOf(lastOf(message), order);
  const allowed = allowedOf(order, endsAt);
  if (line === undefined || allowed.some((status) => line.includes(words[status] ?? "?"))) return [];
  const should = [...new Set(allowed)].join(" or ");
  return finding(
    "stale alert",
    `${name(order)}, alerted at ${clockOf(message.at)}, says "${line}", not ${should} as since ${clockOf(last.from)}`,
  );
}

/** In the end each alert shows the store's status. */
export const statuses = ofEachAlert(look);
