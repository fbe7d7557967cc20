import { type Checker, clockOf, type Evidence, firstOf, minute, type OrderTruth } from "../world/record.ts";
import { finding, kindOf, statusPeriods, wasChanged, wasRestored } from "./reading.ts";
import { possibleIn, surelyOn, surelyRings } from "./settings.ts";

/** If a list has more pages than this, the bot reads only a part of the list before it answers. */
const pagesCounted = 5;

/** The statuses of all orders that the store listed between two times. Undefined if an order came or changed meanwhile. */
function listedIn({ orders, troubles }: Evidence, from: number, to: number): string[] | undefined {
  const periods = [...orders.values()].flatMap(statusPeriods);
  const isMoving = periods.some(({ from: at }) => at >= from && at <= to);
  const isResorted = troubles.some(({ how, from: at }) => how === "lists changed" && at >= from && at <= to);
  if (isMoving || isResorted) return undefined;
  return periods.flatMap((one) => (one.from < from && one.to > to && one.status !== undefined ? [one.status] : []));
}

/** The answer to `/alerts set` says how many orders are in the new statuses already. */
const earlierOrders: Checker = (evidence) =>
  evidence.actions.flatMap((action) => {
    const { what, asked, done, answer = "" } = action;
    if (what.kind !== "alerts-set" || what.statuses === undefined || done === undefined) return [];
    // Another command that ran at the same time may have taken effect first.
    if (wasChanged({ ...evidence, actions: evidence.actions.filter((one) => one !== action) }, asked, done)) return [];
    const [before, ...others] = possibleIn(evidence, asked - 1, asked - 1);
    const listed = listedIn(evidence, asked, done);
    if (before === undefined || others.length > 0 || listed === undefined) return [];
    const isAdded = (status: string) =>
      what.statuses?.includes(status) && before.alerts?.statuses.includes(status) !== true;
    const { rowsPerPage = 100 } = evidence.setup.store;
    if (listed.length > pagesCounted * rowsPerPage) return [];
    const count = listed.filter(isAdded).length;
    const said = /\*\*([\d,]+\+?)\*\* earlier order/.exec(answer)?.[1] ?? "0";
    if (said === count.toLocaleString("en")) return [];
    return finding("wrong number of earlier orders", `${said} at ${clockOf(done)}, not ${count}`);
  });

/** The orders whose alerts the bot posted before `to`, but after the last command that makes it forget orders. */
function alertedOrders({ actions, messages, troubles, orders }: Evidence, to: number): OrderTruth[] {
  const forgotten = [
    ...actions.filter(({ what }) => what.kind === "alerts-off" || what.kind === "disconnect").map(({ asked }) => asked),
    ...troubles.filter(({ how }) => how === "other store").map((one) => one.to),
  ].filter((at) => at <= to);
  // A poll that began before such a command may post an alert after it.
  const since = Math.max(...forgotten, 0) + minute;
  const alerts = messages.filter((one) => kindOf(one) === "alert" && one.at > since && one.at < to - minute);
  return alerts.flatMap((alert) => firstOf(alert).orders.flatMap((id) => orders.get(id) ?? []));
}

/** Whether the first or last page of a list of the bot surely shows the order between two times. */
function surelyListed(evidence: Evidence, order: OrderTruth, from: number, to: number): boolean {
  const { orders, setup } = evidence;
  const period = statusPeriods(order).find((one) => one.from < from && one.to > to);
  const isShort = orders.size <= 2 * (setup.store.rowsPerPage ?? 100);
  return isShort && period?.status !== undefined && surelyRings(evidence, period.status, from, to);
}

/** The answer to `/store connect` says whether the token belongs to another store. */
const connected: Checker = (evidence) =>
  evidence.troubles.flatMap((trouble) => {
    const { how, from, to } = trouble;
    const isOther = how === "other store";
    if (!isOther && how !== "new token") return [];
    const [answer, ...others] = evidence.actions.filter(
      ({ what, asked }) => what.kind === "connect" && asked >= from && asked <= to,
    );
    const isUnsure =
      wasRestored(evidence) ||
      evidence.troubles.some((one) => one.how === "not-found" && one.from <= to && one.to >= from);
    // The bot looks for orders on the first and last page, and requests some by their ids.
    const known = alertedOrders(evidence, from);
    const isFound = known.some((order) => surelyListed(evidence, order, from, to));
    if (answer?.answer === undefined || answer.done === undefined || others.length > 0 || isUnsure) return [];
    if (!surelyOn(evidence, from - minute, to) || (isOther ? known.length === 0 : !isFound)) return [];
    if (answer.answer.includes("another store") === isOther) return [];
    return finding("wrong store", `${how} at ${clockOf(to)}: ${answer.answer.slice(0, 80)}`);
  });

/** The answers to commands say what the bot found in the store. */
export const answers: Checker = (evidence) => [...earlierOrders(evidence), ...connected(evidence)];
