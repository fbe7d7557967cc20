import { type Checker, clockOf, firstOf } from "../world/record.ts";
import { finding, isWell, kindOf, messagesOf, name, statusPeriods, wasRestored } from "./reading.ts";
import { surelyOff } from "./settings.ts";

const minute = 60_000;
/** Time for messages that were being sent when alerts were turned off. */
const onItsWayMs = 10_000;

/** Nothing is posted while alerts are off. */
const afterOff: Checker = (evidence) => {
  // A restored copy may not know that alerts were turned off.
  if (wasRestored(evidence)) return [];
  return evidence.messages
    .filter((message) => kindOf(message) !== "other" && surelyOff(evidence, message.at - onItsWayMs, message.at))
    .map((message) => ({
      what: "posted after off",
      text: `at ${clockOf(message.at)}: ${firstOf(message).content.slice(0, 80)}`,
    }));
};

/** Orders from before alerts were on have no alert. */
const before: Checker = (evidence) => {
  if (wasRestored(evidence)) return [];
  const starts = evidence.actions.filter(
    ({ what, asked, done }) =>
      what.kind === "alerts-set" && done !== undefined && surelyOff(evidence, asked - 1, asked - 1),
  );
  return starts.flatMap(({ asked, done = 0 }) => {
    const isCalm = isWell(evidence, asked - minute, done + 5 * minute);
    if (!isCalm) return [];
    return [...evidence.orders.values()].flatMap((order) => {
      const period = statusPeriods(order).find(
        ({ from, to, status }) => from < asked - minute && to > done && status !== undefined,
      );
      const first = messagesOf(evidence, "alert", order.id).find(({ at }) => at > done);
      if (period === undefined || first === undefined || first.at >= period.to) return [];
      return finding(
        "old order alerted",
        `${name(order)}, there since ${clockOf(period.from)}, at ${clockOf(first.at)}`,
      );
    });
  });
};

export const silent: Checker = (evidence) => [...afterOff(evidence), ...before(evidence)];
