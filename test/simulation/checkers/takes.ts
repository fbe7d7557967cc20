import { type Checker, clockOf, type Evidence, lastOf, minute } from "../world/record.ts";
import { finding, hasRecovered, isForgotten, isWell, messagesOf, without } from "./reading.ts";
import { possibleIn, surelyOn } from "./settings.ts";

const shownAs = { Take: "Taken by", Done: "Done by", "Give back": "" } as const;

const pressesIn = ({ actions }: Evidence) =>
  actions.flatMap((action) => (action.what.kind === "press" ? [{ ...action, ...action.what }] : []));

/** After one of these statuses, the bot no longer knows the order's alert. `undefined`: no list has the order. */
const closed: readonly (string | undefined)[] = ["CANCELLED", "REFUNDED", undefined];

/**
 * Whether the bot edits the alert after a press on a card. The bot must know the alert, so it must follow the order. If Discord
 * refuses the edit, only the next press repeats it.
 */
function isSurelyEdited(evidence: Evidence, id: string, at: number): boolean {
  const { orders, troubles } = evidence;
  const order = orders.get(id);
  return (
    order !== undefined &&
    !order.statuses.some(({ status }) => closed.includes(status)) &&
    !troubles.some(({ how }) => how === "not-found") &&
    surelyOn(evidence, order.placedAt, at + minute) &&
    hasRecovered(without(evidence, "store"), at, at + minute)
  );
}

/** In the end an alert shows who has its order. */
function shown(evidence: Evidence) {
  const presses = pressesIn(evidence);
  return [...Map.groupBy(presses, ({ order }) => order)].flatMap(([order, ofOrder]) => {
    const [alert, ...others] = messagesOf(evidence, "alert", order);
    const last = ofOrder.at(-1);
    const before = ofOrder.at(-2);
    if (alert === undefined || others.length > 0 || last === undefined) return [];
    // If there are two presses within a minute, it is unknown which press came last.
    if (before !== undefined && last.asked - before.asked < minute) return [];
    const wanted = shownAs[last.press as keyof typeof shownAs];
    const isDone = wanted !== "" && last.answer?.includes(`${wanted} <@${last.by}>`);
    if (last.isOnCard && !isSurelyEdited(evidence, order, last.asked)) return [];
    const { text, orders } = lastOf(alert);
    // An alert of several orders has a line for each order that somebody took.
    const isOwn = (line: string) => line.includes(order.slice(0, 8)) && line.includes(`<@${last.by}>`);
    const isShown =
      orders.length > 1
        ? text.split("\n").some(isOwn)
        : text.includes(`${wanted} <@${last.by}>`) && text.includes("Give back");
    if (!isDone || isShown) return [];
    return finding("taker not shown", `${order.slice(0, 8)}, ${last.press} at ${clockOf(last.asked)}`);
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
