import {
  type Checker,
  clockOf,
  type Evidence,
  lastOf,
  type MessageTruth,
  minute,
  type Version,
} from "../world/record.ts";
import { finding, hasRecovered, isForgotten, isWell, messagesOf, without } from "./reading.ts";
import { possibleIn, surelyOn } from "./settings.ts";

const shownAs = { Take: "Taken by", Done: "Done by", "Give back": "Given back by" } as const;

const pressesIn = ({ actions }: Evidence) =>
  actions.flatMap((action) => (action.what.kind === "press" ? [{ ...action, ...action.what }] : []));

/** Longest time from a press on a card until the alert shows it. */
const editedMs = minute;

/** Whether the bot edits the alert after a press on a card. If Discord refuses the edit, only the next press repeats it. */
function isSurelyEdited(evidence: Evidence, alert: MessageTruth, id: string, at: number): boolean {
  const placedAt = evidence.orders.get(id)?.placedAt;
  const isDeleted = evidence.troubles.some((one) => one.how === "deleted" && one.channelId === alert.channelId);
  return (
    placedAt !== undefined &&
    !isDeleted &&
    surelyOn(evidence, placedAt, at + editedMs) &&
    hasRecovered(without(evidence, "store"), at, at + editedMs)
  );
}

/** Whether an alert shows the result of a press. */
function shows({ text, orders }: Version, { press, by, order }: { press: string; by: string; order: string }): boolean {
  const isFree = press === "Give back";
  // An alert of several orders has a line for each order that somebody took.
  const isOf = (line: string) => line.includes(order.slice(0, 8)) && line.includes(isFree ? "<@" : `<@${by}>`);
  if (orders.length > 1) return text.split("\n").some(isOf) !== isFree;
  const isOwn = text.includes(`${shownAs[press as keyof typeof shownAs]} <@${by}>`);
  return (isFree || isOwn) && text.includes("Give back") !== isFree;
}

/** The alert shows who has its order: soon after a press on a card, and in the end after the last press. */
function shown(evidence: Evidence) {
  const presses = pressesIn(evidence);
  return [...Map.groupBy(presses, ({ order }) => order)].flatMap(([order, ofOrder]) => {
    const [alert, ...others] = messagesOf(evidence, "alert", order);
    if (alert === undefined || others.length > 0) return [];
    return ofOrder.flatMap((press, index) => {
      const { by, asked, answer, isOnCard } = press;
      // If there are two presses within a minute, it is unknown which press came last.
      const isAlone = ofOrder.every((other, at) => at === index || Math.abs(other.asked - asked) > editedMs);
      const isLast = index === ofOrder.length - 1;
      if (!isAlone || !(isOnCard ? isSurelyEdited(evidence, alert, order, asked) : isLast)) return [];
      const isDone = answer?.includes(`${shownAs[press.press as keyof typeof shownAs]} <@${by}>`);
      const soon = isOnCard ? alert.versions.findLast(({ at }) => at <= asked + editedMs) : undefined;
      if (!isDone || shows(soon ?? lastOf(alert), press)) return [];
      return finding("taker not shown", `${order.slice(0, 8)}, ${press.press} at ${clockOf(asked)}`);
    });
  });
}

/** An order belongs to one person. Nobody is told that they have an order while another person has it. */
function single(evidence: Evidence) {
  const presses = pressesIn(evidence);
  const taken = presses.filter(({ press, by, answer }) => press === "Take" && answer?.includes(`Taken by <@${by}>`));
  return taken.flatMap((one, index) =>
    taken.slice(index + 1).flatMap((other) => {
      if (other.order !== one.order || other.by === one.by) return [];
      const wasGiven = presses.some(
        ({ press, order, asked, done }) =>
          press === "Give back" &&
          order === one.order &&
          // Two presses at the same time may be handled in either sequence.
          asked < Math.max(one.done ?? 0, other.done ?? 0) &&
          (done ?? Number.POSITIVE_INFINITY) > Math.min(one.asked, other.asked),
      );
      if (wasGiven || isForgotten(evidence, one.asked, other.asked)) return [];
      return finding("taken by two", `${one.order.slice(0, 8)}, at ${clockOf(one.asked)} and ${clockOf(other.asked)}`);
    }),
  );
}

/** Only the person who has an order, or a manager, marks it as done. */
function own(evidence: Evidence) {
  const presses = pressesIn(evidence);
  return presses.flatMap(({ press, order, by, isManager, asked, answer }) => {
    if (press !== "Done" || isManager || !answer?.includes(`Done by <@${by}>`)) return [];
    const mayHaveIt = presses.some(
      (other) => other.order === order && other.press === "Take" && other.by === by && other.asked <= asked,
    );
    return mayHaveIt ? [] : finding("done by a stranger", `${order.slice(0, 8)}, at ${clockOf(asked)}`);
  });
}

/** The person who has an order can mark it as done. */
function refused(evidence: Evidence) {
  return [...Map.groupBy(pressesIn(evidence), ({ order }) => order).values()].flatMap((ofOrder) =>
    ofOrder.flatMap(({ press, by, asked, answer = "" }, index) => {
      const before = ofOrder[index - 1];
      const next = ofOrder[index + 1];
      const isTheirs = before?.press === "Take" && before.by === by && before.answer?.includes(`Taken by <@${by}>`);
      const isAlone = (before?.done ?? asked) < asked && (next?.asked ?? Number.POSITIVE_INFINITY) > asked + minute;
      // If nothing changes, the alert stays as it is, and the reason is told in private.
      const isRefused = answer.includes(`Taken by <@${by}>`) || /ha(?:s|ve) this order/.test(answer);
      // A card shows the earlier presses, too.
      const isDone = answer.includes(`Done by <@${by}>`);
      if (press !== "Done" || !isTheirs || !isAlone || !isRefused || isDone) return [];
      return finding("refused to its taker", `${ofOrder[0]?.order.slice(0, 8)}, at ${clockOf(asked)}: ${answer}`);
    }),
  );
}

/** A person who presses a button is told the result, or sees it in the message. */
const answers =
  /Taken by|Done by|has this order|have this order|finished this order|took this order|Nobody has this order/;

/** Maximum number of presses without an answer. Two may arrive too late to be answered; three are a failure. */
const mostLate = 2;

function answered(evidence: Evidence) {
  const roleChanges = evidence.actions.filter(({ what }) => what.kind === "staff" || what.kind === "disconnect");
  // Without the staff role, the bot refuses these presses.
  const lostRole = (at: number) => roleChanges.findLast(({ asked }) => asked < at)?.what.kind === "disconnect";
  const presses = evidence.actions.filter(
    ({ what, asked, done }) =>
      what.kind === "press" &&
      what.press !== "Give back" &&
      !lostRole(asked) &&
      isWell(evidence, asked - minute, done ?? asked + minute) &&
      possibleIn(evidence, asked, asked + minute).every(({ isConnected }) => isConnected),
  );
  const vain = presses.filter(({ answer = "" }) => !answers.test(answer));
  const [first] = vain.filter(({ answer = "" }) => vain.length > mostLate || !answer.startsWith("Error"));
  return first === undefined ? [] : finding("pressed for nothing", `at ${clockOf(first.asked)}: ${first.answer}`);
}

export const takes: Checker = (evidence) => [single, shown, own, refused, answered].flatMap((check) => check(evidence));
