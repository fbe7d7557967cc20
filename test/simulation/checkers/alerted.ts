import { clockOf } from "../history.ts";
import type { Checker, Evidence, OrderTruth } from "../world/record.ts";
import { isWell, messagesOf, name, stays } from "./reading.ts";
import { surelyRings } from "./settings.ts";

const minute = 60_000;
/** What failed is left alone for up to 5 minutes, and 15 after a token was refused. */
const recoveryMs = 16 * minute;

/** Polls until a new order is found, where nothing is wrong: in a list that is sorted by neither end, a round of its pages. */
function pollsToFind({ setup, orders }: Evidence): number {
  const { ordering, rowsPerPage = 100 } = setup.store;
  const pages = Math.ceil(orders.size / rowsPerPage);
  return ordering === "by-id" ? 3 + 2 * pages : 3;
}

/** Orders that have two alerts. */
export const doubled = (evidence: Evidence): number =>
  [...evidence.orders.keys()].filter((id) => messagesOf(evidence, "alert", id).length > 1).length;

/** Whether a poll had to see the order in a status that rings, and all that follows had time. */
function mustRing(evidence: Evidence, order: OrderTruth): boolean {
  const { endsAt, setup } = evidence;
  const needed = pollsToFind(evidence) * setup.pollMs + minute;
  return stays(order).some(({ status, from, to }) => {
    if (status === undefined || !surelyRings(evidence, status, from, endsAt)) return false;
    if (to >= endsAt) return from + needed < endsAt;
    const since = Math.max(from, to - needed);
    return to - from >= needed && isWell(evidence, since - recoveryMs, to);
  });
}

/** Each order is alerted, and once. */
export const alerted: Checker = (evidence) => {
  const { troubles, setup } = evidence;
  const wasRestored = troubles.some(({ how }) => how === "restored");
  return [...evidence.orders.values()].flatMap((order) => {
    const alerts = messagesOf(evidence, "alert", order.id);
    if (alerts.length === 0) {
      if (wasRestored || !mustRing(evidence, order)) return [];
      return [{ what: "never alerted", text: `${name(order)}, placed at ${clockOf(order.placedAt)}, has no alert` }];
    }
    if (alerts.length === 1) return [];
    // The limit of what anybody can promise: without Discord's help, what seems lost may land late. It is counted.
    if (!setup.discord.nonces) return [];
    const isUnread = wasRestored && troubles.some(({ kind }) => kind === "channel");
    if (isUnread) return [];
    const text = `${name(order)} has ${alerts.length} alerts, at ${alerts.map(({ at }) => clockOf(at)).join(" and ")}`;
    return [{ what: "alerted twice", text }];
  });
};
