import {
  clockOf,
  type Evidence,
  type Finding,
  hour,
  lastOf,
  type MessageTruth,
  minute,
  type OrderTruth,
  type RequestTruth,
} from "../world/record.ts";
import { finding, lineOf, messagesOf, name, ofEachOrder, once, statusPeriods, timesOf } from "./reading.ts";
import { possibleIn, surelyOn } from "./settings.ts";
import { waitLeft } from "./waits.ts";

/** In one poll, the bot asks for at most this many orders that left a list. */
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

/** Maximum number of single orders after a poll. */
const mostInPoll = 240;

/** Number of single orders that the bot asks for after a poll. It grows with the time between polls, up to an hour. */
export const askedInPoll = (pollMs: number) => askedAtOnce + Math.min(pollMs, hour) / betweenLooksMs;

/** The statuses that the alert may show in the end. */
function allowedOf(order: OrderTruth, endsAt: number): string[] {
  const all = statusPeriods(order).flatMap(({ from, status }) =>
    from < endsAt && status !== undefined ? [status] : [],
  );
  return [...all.slice(-1), ...all.filter((status) => closed.includes(status))];
}

/** Number of orders with an alert that may have left the lists. The bot asks for each of them by its id. */
const followed = once((evidence) => {
  const polled = possibleIn(evidence, evidence.endsAt, evidence.endsAt).map(
    ({ alerts, rules }) => new Set([...(alerts?.statuses ?? []), ...rules.map(({ status }) => status)]),
  );
  return [...evidence.orders.values()].filter(({ id, statuses }) => {
    const isListed = statuses.length === 1 && polled.every((all) => all.has(statuses[0]?.status));
    return !isListed && messagesOf(evidence, "alert", id).length > 0;
  }).length;
});

/** Number of pages in which the store lists all orders. */
export const pageCount = ({ setup, orders }: Evidence): number =>
  Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100));

/** Longest time from an order's last change until its alert shows it, if there is no trouble. */
export const msToShow = once((evidence) => {
  const { setup } = evidence;
  // The bot asks for one order after the other. When an order changes, the bot may have asked for it just before.
  const looksMs = 2 * followed(evidence) * Math.max(betweenLooksMs, setup.pollMs / mostInPoll);
  return (4 + 2 * pageCount(evidence)) * setup.pollMs + looksMs;
});

/** Whether the history lasts until the bot has recovered from all troubles, and the alert shows a change of this time. */
export const lastsUntilShown = (evidence: Evidence, from: number): boolean =>
  Math.max(from, evidence.calmFrom) + waitLeft(evidence) + msToShow(evidence) < evidence.endsAt;

const byPath = (requests: readonly RequestTruth[]) => Map.groupBy(requests, ({ path }) => path);
const edits = once(({ discordRequests }) => byPath(discordRequests.filter(({ method }) => method === "PATCH")));
const looks = once(({ storeRequests }) => byPath(storeRequests));

/** The answers to requests of a path after a time. */
const answersTo = (requests: Map<string, RequestTruth[]>, path: string, since: number) =>
  (requests.get(path) ?? []).flatMap(({ answer, at }) => (answer !== undefined && at > since ? [answer.status] : []));

/** Whether the bot is right not to edit an alert any more. */
function isFinal(evidence: Evidence, { id, channelId, at }: MessageTruth, order: OrderTruth, since: number): boolean {
  const said = answersTo(looks(evidence), `/open-api/checkout/order/${order.id}`, at);
  const told = answersTo(edits(evidence), `/channels/${channelId}/messages/${id}`, since);
  const count = (answers: readonly number[], status: number) => answers.filter((one) => one === status).length;
  // Discord refused both forms of the edit, or the alert was deleted, or the store said twice that there is no such order.
  return count(told, 400) > 1 || told.includes(404) || count(said, 404) > 1;
}

function look(evidence: Evidence, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom } = evidence;
  const alerts = messagesOf(evidence, "alert", order.id);
  const [alert] = alerts;
  const periods = statusPeriods(order).filter(({ from }) => from < endsAt);
  const last = periods.at(-1);
  // The status of an order that the store no longer has is unknown.
  if (alert === undefined || last?.status === undefined || last.from > calmFrom) return [];
  if (!lastsUntilShown(evidence, Math.max(...alerts.map(({ at }) => at)))) return [];
  // Alerts are no longer followed after they were turned off.
  if (!surelyOn(evidence, alert.at - minute, endsAt)) return [];
  const allowed = allowedOf(order, endsAt);
  // If there is a second alert, because the first one was deleted or because of lost nonces, the bot knows only one of them.
  const shown = alerts.map((one) => lineOf(lastOf(one), order));
  const isRight = shown.some((line) => line === undefined || allowed.some((one) => line.includes(words[one] ?? "?")));
  if (isRight || alerts.some((one) => isFinal(evidence, one, order, last.from))) return [];
  const should = [...new Set(allowed)].join(" or ");
  return finding(
    "stale alert",
    `${name(order)}, alerted ${timesOf(alerts)}, says "${shown.at(-1)}", not ${should} as since ${clockOf(last.from)}`,
  );
}

/** In the end each alert shows the store's status. */
export const statuses = ofEachOrder(look);
