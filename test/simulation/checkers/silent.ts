import { type Checker, clockOf, type Evidence, firstOf, minute, type Version } from "../world/record.ts";
import { finding, kindOf, messagesOf, name, statusPeriods } from "./reading.ts";
import { possibleIn, surelyDisconnected, surelyOff } from "./settings.ts";

/** Time for messages that were being sent when alerts were turned off. */
const onItsWayMs = 10_000;

/** While alerts are off, nothing but notices is posted. While no store is connected, notices are not posted either. */
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

/** When alerts are turned off, the bot no longer follows orders. So it does not edit their alerts after that. */
const notFollowed: Checker = (evidence) =>
  evidence.actions.flatMap(({ what, asked, done = Number.POSITIVE_INFINITY }) =>
    evidence.messages.flatMap((message) => {
      if (what.kind !== "alerts-off" || kindOf(message) !== "alert" || message.at > asked) return [];
      const isEdit = ({ at, card }: Version, index: number) =>
        at > done + onItsWayMs && card !== message.versions[index - 1]?.card;
      const edit = message.versions.find(isEdit);
      return edit === undefined ? [] : finding("followed after off", `${message.id} at ${clockOf(edit.at)}`);
    }),
  );

/** Whether a status may have triggered an alert at some time from `from` to `to`. */
const mayRing = (evidence: Evidence, status: string | undefined, from: number, to: number) =>
  possibleIn(evidence, from, to).some(({ alerts }) => alerts?.statuses.includes(status ?? ""));

const storeFailures: readonly (string | undefined)[] = [
  "unavailable",
  "nonsense",
  "firewall",
  "limited",
  "slow",
  "products",
];

/**
 * An order has no alert if it had its status before alerts were turned on, before this status triggered alerts, or before its
 * store was connected.
 */
const before: Checker = (evidence) => {
  const { actions, troubles, setup } = evidence;
  const starts = actions.flatMap(({ what, asked, done }) =>
    what.kind === "alerts-set" && done !== undefined ? [{ since: asked - minute, done, own: undefined, asked }] : [],
  );
  const connected = troubles.flatMap((own) =>
    own.how === "other store" ? [{ since: own.from + 1, done: own.to, own, asked: undefined }] : [],
  );
  return [...starts, ...connected].flatMap(({ since, done, own, asked }) => {
    const wasOff = asked === undefined || surelyOff(evidence, asked - 1, asked - 1);
    // The start of a process, Discord and channels cannot make an order new. Failures of the store can do so only if orders
    // have no time: the bot may read a failed page so late that such orders already count as new.
    const isCalm = troubles.every(
      (trouble) =>
        trouble === own ||
        (trouble.kind === "process" && trouble.how === undefined) ||
        (storeFailures.includes(trouble.how) && setup.store.times !== "missing") ||
        trouble.kind === "discord" ||
        trouble.kind === "channel" ||
        trouble.from > done + 5 * minute ||
        trouble.to < since - minute,
    );
    if (!isCalm) return [];
    return [...evidence.orders.values()].flatMap((order) => {
      const wasThere = (from: number) =>
        from < since || (order.placedAt === 0 && from === order.statuses[0]?.at && from < done);
      const period = statusPeriods(order).find(
        ({ from, to, status }) => wasThere(from) && to > done && status !== undefined,
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

export const silent: Checker = (evidence) =>
  [afterOff, notFollowed, before, deleted].flatMap((check) => check(evidence));
