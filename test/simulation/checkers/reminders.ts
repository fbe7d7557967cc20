import { clockOf, type Evidence, type Finding, firstOf, hour, minute, type OrderTruth } from "../world/record.ts";
import {
  finding,
  hasRecovered,
  isForgotten,
  isWell,
  kindOf,
  messagesOf,
  name,
  ofEachOrder,
  roleIn,
  statusPeriods,
  timesOf,
  wasRestored,
  without,
  workableFrom,
} from "./reading.ts";
import { possibleIn } from "./settings.ts";

/** Maximum number of alerts that wait for a reminder, and time for each reminder. Two reminders are sent in 15 s. */
const mostWaiting = 1_000;
const msForReminder = 7_500;

/** Quiet hours are in the server's time zone, which is UTC in each history. */
const isQuiet = (quiet: string, at: number) => {
  const [from = 0, to = 0] = quiet.split("-").map(Number);
  const hourOfDay = new Date(at).getUTCHours();
  return from < to ? hourOfDay >= from && hourOfDay < to : hourOfDay >= from || hourOfDay < to;
};

/** Returns the first time from `at` on that is not in quiet hours. */
function awakeAt(quiet: string, startsAt: number, at: number): number {
  let awake = at;
  while (isQuiet(quiet, startsAt + awake)) awake = Math.ceil((startsAt + awake + 1) / hour) * hour - startsAt;
  return awake;
}

const pressesOf = ({ actions }: Evidence, order: string) =>
  actions.flatMap(({ what, ...rest }) => (what.kind === "press" && what.order === order ? [{ ...rest, what }] : []));

function missing(evidence: Evidence, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, troubles, setup } = evidence;
  const [alert] = messagesOf(evidence, "alert", order.id);
  if (alert === undefined || statusPeriods(order).length > 1 || order.statuses[0]?.status !== "PENDING") return [];
  const possible = possibleIn(evidence, alert.at - minute, endsAt);
  const [{ remind } = { remind: undefined }] = possible;
  const isSure = possible.every(
    (settings) => settings.alerts !== undefined && JSON.stringify(settings.remind) === JSON.stringify(remind),
  );
  // Somebody who took the order is reminded, too.
  const wasPressed = pressesOf(evidence, order.id).some(({ what }) => what.press !== "Take");
  if (remind === undefined || !isSure || wasPressed || wasRestored(evidence)) return [];
  const { quiet, afterMs } = remind;
  const dueAt = quiet === undefined ? alert.at + afterMs : awakeAt(quiet, setup.startsAt, alert.at + afterMs);
  if (evidence.orders.size > mostWaiting) return [];
  const waiting = evidence.messages.filter((message) => kindOf(message) === "alert" && message.at <= dueAt);
  // After quiet hours, the reminders of all waiting alerts are due.
  const latest = quiet === undefined ? waiting.filter(({ at }) => at > alert.at - 60 * minute) : waiting;
  const asked = new Set(latest.flatMap((message) => firstOf(message).orders)).size * setup.latency.store[1];
  // Reminders do not wait for polls, so this time does not depend on the schedule of the polls.
  const lasts = waiting.length * msForReminder + asked + 5 * minute;
  const last = (dueAt > calmFrom ? dueAt : workableFrom(evidence, dueAt, lasts)) + lasts;
  // Nobody is reminded of an order that the store no longer has.
  const isMissing = troubles.some(({ how, from, to }) => how === "not-found" && from < last && to > dueAt);
  if (last > endsAt || isMissing) return [];
  const [first] = messagesOf(evidence, "reminder", order.id);
  if (first !== undefined && first.at <= last) return [];
  return finding(
    "no reminder",
    `${name(order)}, alerted at ${clockOf(alert.at)}, due at ${clockOf(dueAt)}, ${first === undefined ? "never came" : `came at ${clockOf(first.at)}`}`,
  );
}

const over: readonly (string | undefined)[] = ["CANCELLED", "EXPIRED", "FAILED", "REFUNDED", "DELIVERED", undefined];
/** Time for asking the store about each order of a reminder, and for sending the reminder. */
const onItsWayMs = 2 * minute;

/** Finds a reminder that is not needed, or comes too early. */
function needless(evidence: Evidence, order: OrderTruth): Finding[] {
  const { setup } = evidence;
  const presses = pressesOf(evidence, order.id);
  const [reminder] = messagesOf(evidence, "reminder", order.id);
  const [alert] = messagesOf(evidence, "alert", order.id);
  if (reminder === undefined || alert === undefined || alert.at > reminder.at) return [];
  if (wasRestored(evidence) || evidence.troubles.some(({ kind }) => kind === "clock")) return [];
  const text = `${name(order)}, alerted at ${clockOf(alert.at)}, at ${clockOf(reminder.at)}`;
  const before = reminder.at - onItsWayMs - setup.latency.discord[1];
  const now = statusPeriods(order).findLast(({ from }) => from <= reminder.at);
  // The bot asks the store right before it sends the reminder.
  const isKnown = hasRecovered(evidence, before, reminder.at);
  const isOver = now !== undefined && over.includes(now.status) && now.from < before;
  if (isOver && isKnown) return finding("reminded of what is over", text);
  // Only the last press counts, because an order that was done can be given back. The answer alone proves
  // nothing, because the card of such an order still lists who had done it.
  const last = presses.findLast(({ what, asked }) => what.press !== "Take" && asked < reminder.at);
  const isDone = last?.what.press === "Done" && last.answer?.includes("Done by") && (last.done ?? before) < before;
  if (isDone) return finding("reminded of what is done", text);
  const movedAt = order.statuses.find(({ at }) => at > alert.at)?.at ?? Number.POSITIVE_INFINITY;
  const wasTaken = presses.some(({ done = before, answer }) => done < before && answer?.includes("Taken by"));
  // If the status is the same again before the next poll, the bot does not see that it changed.
  const alerted = order.statuses.findLast(({ at }) => at <= alert.at)?.status;
  const isBack = order.statuses.some(({ at, status }) => at > alert.at && at < reminder.at && status === alerted);
  const isHandled = wasTaken && !isBack && movedAt < before && presses.every(({ what }) => what.press !== "Give back");
  if (isHandled && isKnown) return finding("reminded of what is handled", text);
  const alertedOff = possibleIn(evidence, alert.at - minute, alert.at + minute).every(({ remind }) => !remind);
  if (alertedOff && isWell(evidence, alert.at - minute, alert.at + minute))
    return finding("reminded of an earlier alert", text);
  const possible = possibleIn(evidence, alert.at, reminder.at).flatMap(({ remind }) => remind ?? []);
  if (possible.every(({ afterMs }) => reminder.at < alert.at + afterMs - 1_000)) return finding("reminded early", text);
  const quiet = (at: number) =>
    possible.every((remind) => remind.quiet !== undefined && isQuiet(remind.quiet, setup.startsAt + at));
  if (quiet(before) && quiet(reminder.at)) return finding("reminded in quiet hours", text);
  return [];
}

/** While settings stay as they are, a reminder is a reply to its alert, and mentions the same role. */
function isReply(evidence: Evidence, order: OrderTruth): Finding[] {
  const [reminder] = messagesOf(evidence, "reminder", order.id);
  const [alert, ...others] = messagesOf(evidence, "alert", order.id);
  if (reminder === undefined || alert === undefined || others.length > 0 || wasRestored(evidence)) return [];
  const isSame = possibleIn(evidence, order.placedAt - minute, reminder.at).length === 1;
  const isRight =
    reminder.repliesTo === alert.id && roleIn(firstOf(reminder).content) === roleIn(firstOf(alert).content);
  if (isRight || !isSame || !hasRecovered(without(evidence, "store"), alert.at, reminder.at)) return [];
  return finding("reminder apart from its alert", `${name(order)}, at ${clockOf(reminder.at)}`);
}

function twice(evidence: Evidence, order: OrderTruth): Finding[] {
  const all = messagesOf(evidence, "reminder", order.id);
  const isLimit =
    !evidence.setup.discord.nonces ||
    isForgotten(evidence, order.placedAt, evidence.endsAt) ||
    evidence.troubles.some(({ how, kind }) => how === "restored" || kind === "channel");
  return all.length < 2 || isLimit ? [] : finding("reminded twice", `${name(order)}, ${timesOf(all)}`);
}

/** An alert has one reminder, at the time at which the reminder is due. */
export const reminders = ofEachOrder(twice, missing, needless, isReply);
