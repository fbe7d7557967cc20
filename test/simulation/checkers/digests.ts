import { type Checker, clockOf, type Evidence, firstOf, hour, type MessageTruth, minute } from "../world/record.ts";
import { finding, isForgotten, isWell, statusPeriods, timesOf } from "./reading.ts";
import { longestOfAll, longestWaitMs, waitAfter } from "./waits.ts";

/** Longest delay of a digest if nothing fails, without the time to read the store. */
const lateMs = 3 * minute;
/** Longest time from a request for a page to the next one. */
const msForPage = 5_000;

/** A day on which clocks are set back. */
const longestDayMs = 25 * hour;

/**
 * Returns the times at which clocks of the time zone reach this hour, up to the first one after the history. The zones of
 * histories differ from UTC by whole hours.
 */
function hoursOf({ setup, endsAt }: Evidence, from: number, timezone: string, wanted: number): number[] {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "numeric", hourCycle: "h23" });
  const found: number[] = [];
  for (
    let at = Math.ceil((setup.startsAt + from) / hour) * hour;
    at <= setup.startsAt + endsAt + longestDayMs;
    at += hour
  ) {
    // On the day on which clocks are set back, an hour comes twice. Only the first one counts.
    const isSecond = at - setup.startsAt - (found.at(-1) ?? Number.NEGATIVE_INFINITY) < 12 * hour;
    if (Number(format.format(at)) === wanted && !isSecond) found.push(at - setup.startsAt);
  }
  return found;
}

const unsold: readonly (string | undefined)[] = ["PENDING", "CANCELLED", "REFUNDED", "EXPIRED", "FAILED"];
const sold: readonly (string | undefined)[] = ["PAID", "DELIVERED"];

/** Returns the number of orders of a day, and the sum of the paid ones. */
function sums(evidence: Evidence, message: MessageTruth, due: number, timezone: string) {
  const { setup, orders } = evidence;
  const { content, text } = firstOf(message);
  const [, span, count, amount] = /\*\*(.+)\*\*: orders ([\d,]+) · sold ([\d,]+)/.exec(content) ?? [];
  const isSure =
    setup.store.times === "own" && isWell(evidence, due - hour, message.at) && !text.includes("may be missing");
  if (span === undefined || !isSure) return [];
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    month: "short",
    day: "numeric",
    year: "numeric",
  });
  const ofDay = [...orders.values()].filter(
    ({ createdAt, placedAt }) =>
      createdAt !== undefined && placedAt < due && format.format(setup.startsAt + createdAt) === span,
  );
  const present = ofDay.map((order) => statusPeriods(order).findLast(({ from }) => from <= due)?.status);
  const isStill = ofDay.every((order) =>
    statusPeriods(order).every(({ from }) => from <= due - minute || from > message.at),
  );
  if (!isStill || present.some((status) => ![...sold, ...unsold].includes(status))) return [];
  const total = ofDay.reduce((sum, order, index) => sum + (sold.includes(present[index]) ? order.total : 0), 0);
  const said = [count, amount].map((digits = "") => Number(digits.replaceAll(",", "")));
  if (said[0] === ofDay.length && said[1] === total) return [];
  return finding("wrong digest", `${span}: ${said.join(", ")}, not ${ofDay.length}, ${total}`);
}

/** Returns by when the bot tries a digest again: after the last trouble that can delay it, and the wait after this trouble. */
function triedAgainBy({ troubles }: Evidence, due: number): number {
  let [at, since] = [due, due];
  for (const trouble of troubles.toSorted((one, other) => one.from - other.from)) {
    if (trouble.to + longestOfAll < due || trouble.from > at + lateMs) continue;
    since = Math.min(since, trouble.from);
    // A new token ends the waits of polls, but not the wait of a digest.
    const isConnected = trouble.how === "new token" || trouble.how === "other store";
    const wait = isConnected ? longestWaitMs : waitAfter(trouble, trouble.to - since);
    at = Math.max(at, trouble.to + wait);
  }
  return at;
}

/** A digest of orders has a chart, if the bot may send files. */
function chart({ actions, troubles }: Evidence, message: MessageTruth) {
  const { content, files } = firstOf(message);
  const isFileless = actions.some(({ what }) => what.kind === "digest" && what.isFileless);
  const wasRefused = troubles.some(({ kind, from }) => kind === "discord" && from <= message.at);
  if (isFileless || wasRefused || files > 0 === !content.includes(" orders 0 ")) return [];
  return finding("wrong chart", `${files} files at ${clockOf(message.at)}: ${content}`);
}

/** A digest that comes more than 10 minutes after its hour says that it is late. Returns what is wrong with this note. */
function note({ troubles }: Evidence, message: MessageTruth, due: number) {
  const isSaid = firstOf(message).text.includes("This digest is late");
  const lateAfter = message.at - due - 10 * minute;
  // A digest that is not late yet may become late while it waits for a rate limit of Discord.
  const wasHeld = troubles.some(({ kind, from, to }) => kind === "discord" && from <= message.at && to >= due);
  if (Math.abs(lateAfter) < minute || isSaid === lateAfter > 0 || (!isSaid && wasHeld)) return [];
  return finding("wrong note in a digest", `due at ${clockOf(due)}, came at ${clockOf(message.at)}`);
}

/** Each day has one digest, at its hour, with the sums of that day, also if the bot may send no files. */
export const digests: Checker = (evidence) => {
  const { actions, messages, troubles, setup, endsAt } = evidence;
  const [action, ...others] = actions.filter(({ what, failed }) => what.kind === "digest" && !failed);
  const isUnsure =
    others.length > 0 ||
    isForgotten(evidence, 0, endsAt) ||
    troubles.some(({ kind, how }) => kind === "clock" || how === "restored");
  if (action?.what.kind !== "digest" || action.done === undefined || isUnsure) return [];
  const { channelId, timezone } = action.what;
  const posted = messages.filter(
    (message) => message.channelId === channelId && firstOf(message).content.startsWith("📊"),
  );
  const dues = hoursOf(evidence, action.asked, timezone, action.what.hour);
  const said = Number(/<t:(\d+):f>/.exec(action.answer ?? "")?.[1]) * 1_000 - setup.startsAt;
  const isSaid = said === dues.find((due) => due > (action.done ?? 0)) || said === dues[0];
  if (!isSaid) return finding("wrong time of the next digest", `${action.answer}`);
  return dues.flatMap((due, index) => {
    const next = dues[index + 1] ?? Number.POSITIVE_INFINITY;
    const within = posted.filter(({ at }) => at >= due && at < next);
    const [first] = within;
    if (within.length > 1 && setup.discord.nonces) return finding("digest twice", timesOf(within));
    const pages = evidence.orders.size / (setup.store.rowsPerPage ?? 100);
    const latest = triedAgainBy(evidence, due) + lateMs + pages * msForPage;
    if (latest > Math.min(endsAt, next) || due < (action.done ?? 0)) return [];
    if (first !== undefined && first.at <= latest)
      return [...sums(evidence, first, due, timezone), ...note(evidence, first, due), ...chart(evidence, first)];
    const came = first === undefined ? "never came" : `came at ${clockOf(first.at)}`;
    return finding("no digest", `due at ${clockOf(due)}, ${came}`);
  });
};
