import { type Checker, clockOf, type Evidence, firstOf, minute } from "../world/record.ts";
import { finding, kindOf, messagesOf, name, statusPeriods } from "./reading.ts";
import { possibleIn, surelyDisconnected, surelyOff } from "./settings.ts";

/** Time for messages that were being sent when alerts were turned off. */
const onItsWayMs = 10_000;

/** Nothing is posted while alerts are off, and no notices while no store is connected. */
const afterOff: Checker = (evidence) => {
  return evidence.messages
    .filter((message) => {
      const isOff = kindOf(message) === "other" ? surelyDisconnected : surelyOff;
      return isOff(evidence, message.at - onItsWayMs, message.at);
    })
    .map((message) => ({
      what: "posted after off",
      text: `at ${clockOf(message.at)}: ${firstOf(message).content.slice(0, 80)}`,
    }));
};

/** Whether a status may have triggered an alert at some time from `from` to `to`. */
const mayRing = (evidence: Evidence, status: string | undefined, from: number, to: number) =>
  possibleIn(evidence, from, to).some(({ alerts }) => alerts?.statuses.includes(status ?? ""));

/**
 * An order has no alert if it had its status before alerts were turned on, before this status triggered alerts, or before its
 * store was connected.
 */
const before: Checker = (evidence) => {
  const { actions, troubles } = evidence;
  const starts = actions.flatMap(({ what, asked, done }) =>
    what.kind === "alerts-set" && done !== undefined ? [{ since: asked - minute, done, own: undefined, asked }] : [],
  );
  const connected = troubles.flatMap((own) =>
    own.how === "other store" ? [{ since: own.from + 1, done: own.to, own, asked: undefined }] : [],
  );
  return [...starts, ...connected].flatMap(({ since, done, own, asked }) => {
    const wasOff = asked === undefined || surelyOff(evidence, asked - 1, asked - 1);
    const isCalm = troubles.every(
      (trouble) => trouble === own || trouble.from > done + 5 * minute || trouble.to < since - minute,
    );
    if (!isCalm) return [];
    return [...evidence.orders.values()].flatMap((order) => {
      const period = statusPeriods(order).find(
        ({ from, to, status }) => from < since && to > done && status !== undefined,
      );
      const mayBeNew =
        !wasOff &&
        statusPeriods(order).some(
          ({ status, from, to }) => from < done && mayRing(evidence, status, from, Math.min(to, asked - 1)),
        );
      if (mayBeNew) return [];
      const first = messagesOf(evidence, "alert", order.id).find(({ at }) => at > done);
      if (period === undefined || first === undefined || first.at >= period.to) return [];
      return finding(
        "old order alerted",
        `${name(order)}, there since ${clockOf(period.from)}, at ${clockOf(first.at)}`,
      );
    });
  });
};

/** When a store is disconnected, everything stored for its server is deleted (docs/privacy.md). */
const deleted: Checker = (evidence) => {
  return evidence.kept
    .filter(({ at, tables }) => tables.length > 0 && surelyDisconnected(evidence, at - onItsWayMs, at - 1))
    .map(({ at, tables }) => ({ what: "not deleted", text: `${tables.join(", ")} at ${clockOf(at)}` }));
};

export const silent: Checker = (evidence) => [afterOff, before, deleted].flatMap((check) => check(evidence));
