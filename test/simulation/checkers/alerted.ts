import {
  type Checker,
  clockOf,
  type Evidence,
  type MessageTruth,
  minute,
  type OrderTruth,
  type Trouble,
} from "../world/record.ts";
import {
  finding,
  isForgotten,
  isOfForm,
  isUnread,
  isWell,
  messagesOf,
  name,
  once,
  pollsIfSorted,
  pollsToFind,
  refusals,
  statusPeriods,
  timesOf,
  wasRestored,
} from "./reading.ts";
import { possibleIn, surelyOn, surelyRings } from "./settings.ts";
import { longestOfAll, waitAfter } from "./waits.ts";

/** Time for one message, with 0.2 s to spare, because a channel takes 5 messages in 5 s. */
const msForMessage = 1_200;
const ordersOfMessage = 25;
/** One poll reads about twenty pages of new orders. */
const mostFound = 2_000;

/** Number of orders with more than one alert. */
export const doubled = (evidence: Evidence): number =>
  [...evidence.orders.keys()].filter((id) => messagesOf(evidence, "alert", id).length > 1).length;

/** If the store does not list its products, each page with new orders waits this long, and a poll has some such pages. */
const searchMs = 12_000;
const mostSearches = 6;

/** Longest time for reading the baseline. Meanwhile an order without a time of its own counts as part of the baseline. */
export const readingMs = 15 * minute;
/**
 * The bot notes all orders of a list with at most this many pages. Of a longer list, it notes the first and the last page at
 * once.
 */
const pagesNoted = 5;

function isTakenAsOld(evidence: Evidence, at: number, placedAt: number): boolean {
  const { setup, actions, troubles } = evidence;
  const { times, waiting, rowsPerPage = 100, honoursStatus } = setup.store;
  const listed = (waiting.PENDING ?? 0) + (honoursStatus ? 0 : (waiting.PAID ?? 0) + (waiting.CANCELLED ?? 0));
  const isNoted = listed <= pagesNoted * rowsPerPage;
  // If the store's times are behind, a new order seems older than the alerts. The bot notices this only in a list that is
  // sorted by time. But the orders from before the set-up are in no sequence of their times.
  const hasTimes = times === "own";
  const isTimeless = !hasTimes || (placedAt === 0 && !isNoted);
  // Orders that another store had before it was connected count as old.
  const wasThere = troubles.some(({ how, from, to }) => {
    const oldMs = !hasTimes || (how === "other store" && placedAt === 0) ? readingMs : 0;
    return at >= from && at <= to + oldMs && (how === "other store" || (how === "new token" && !hasTimes));
  });
  if (wasThere) return true;
  // Whether alerts may have been off after the order was placed and before this time. Such an order counts as old if it enters
  // a list while the baseline is read.
  const wasOff = (before: number) => placedAt < before && !surelyOn(evidence, placedAt, before);
  return actions.some(
    ({ what, done }) =>
      what.kind === "alerts-set" &&
      done !== undefined &&
      done > at - readingMs &&
      done <= at &&
      (isTimeless || (placedAt > 0 && wasOff(done))),
  );
}

/** Whether an earlier status of the order had an alert already, or was treated as seen. */
function wasTold(evidence: Evidence, order: OrderTruth, before: number): boolean {
  const [first] = statusPeriods(order);
  if (first !== undefined && first.from < before && isTakenAsOld(evidence, first.from, order.placedAt)) return true;
  // True if, for each earlier status, it is certain whether the status caused alerts, from its start to the end of the history.
  const isSteady = statusPeriods(order).every(({ status, from }) => {
    const rings = possibleIn(evidence, from, evidence.endsAt).map(({ alerts }) =>
      alerts?.statuses.includes(status ?? ""),
    );
    return from >= before || new Set(rings).size === 1;
  });
  if (isSteady && surelyRings(evidence, first?.status ?? "", order.placedAt, evidence.endsAt)) return false;
  return statusPeriods(order).some(
    ({ status, from, to }) =>
      from < before &&
      possibleIn(evidence, from, to).some(({ alerts }) => status !== undefined && alerts?.statuses.includes(status)),
  );
}

const placedLater = once(({ orders }) => [...orders.values()].map(({ placedAt }) => placedAt).filter((at) => at > 0));

/** Hourly polls are at full hours, daily polls at this hour (UTC). Each may be a minute late. */
const hourOfDays = 9;

function nextPoll({ setup }: Evidence, from: number): number {
  const isDaily = setup.pollMs > 60 * minute;
  const shift = setup.startsAt - (isDaily ? hourOfDays * 60 * minute : 0);
  return Math.ceil((shift + from) / setup.pollMs) * setup.pollMs - shift + minute;
}

/**
 * Returns by when an order must have its alert after it entered a status with alerts. Undefined if this is after the
 * end of the history.
 */
function dueAt(evidence: Evidence, from: number, polls: number | undefined): number | undefined {
  const { setup, troubles, endsAt } = evidence;
  const others = placedLater(evidence).filter((at) => at <= from + minute).length;
  const slackMs = isWell(evidence, from - longestOfAll, from + minute) ? minute / 2 : minute;
  // A failed poll is repeated, even if the schedule has few polls.
  let at = polls === undefined ? nextPoll(evidence, from) : from + polls * setup.pollMs;
  let needed = (others / ordersOfMessage) * msForMessage + slackMs;
  let since: number | undefined;
  const own = possibleIn(evidence, 0, endsAt).map(({ alerts }) => alerts?.channelId);
  // If the bot may not read a channel, only messages in doubt wait. If it may not post in a rule's channel, it posts in the
  // channel of alerts.
  const isMinor = ({ kind, how, channelId }: Trouble) =>
    kind === "channel" && (how === "hidden" || !own.includes(channelId));
  const serious = { ...evidence, troubles: troubles.filter((one) => !isMinor(one)) };
  for (const trouble of troubles.toSorted((one, other) => one.from - other.from)) {
    if (trouble.from > at + needed) break;
    if (trouble.to + longestOfAll < from) continue;
    if (isMinor(trouble) && isWell(serious, from - minute, Math.min(trouble.to, at + needed))) continue;
    if (trouble.how === "products") {
      needed += searchMs * (mostSearches + others / (setup.store.rowsPerPage ?? 100));
      continue;
    }
    // Orders that Discord refused together are sent one by one, each perhaps in two forms.
    if (refusals.includes(trouble.how)) needed = 2 * others * msForMessage + slackMs;
    if (trouble.kind === "discord" && isOfForm(trouble)) continue;
    since ??= trouble.from;
    at = Math.max(at, trouble.to + waitAfter(trouble, trouble.to - since));
  }
  return at + needed < endsAt ? at + needed : undefined;
}

/** Returns by when an order must have its alert. Undefined if no alert is required. */
function due(evidence: Evidence, order: OrderTruth): number | undefined {
  const { endsAt, setup } = evidence;
  for (const { status, from, to } of statusPeriods(order)) {
    if (status === undefined || !surelyRings(evidence, status, from, endsAt) || wasTold(evidence, order, from))
      continue;
    const isNew = from === statusPeriods(order)[0]?.from;
    if ((order.placedAt === 0 && isNew) || isTakenAsOld(evidence, from, order.placedAt)) continue;
    const polls = pollsToFind(evidence, isNew);
    const isNext =
      isNew && setup.pollMs > minute && polls === pollsIfSorted && placedLater(evidence).length < mostFound;
    const at = dueAt(evidence, from, isNext ? undefined : polls);
    if (at !== undefined && at < to) return at;
    const round = polls * evidence.setup.pollMs;
    if (to >= endsAt && from < evidence.calmFrom && evidence.calmFrom + round < endsAt) return endsAt;
  }
  return undefined;
}

/**
 * Whether the alert's channel was deleted before the next alert came. In this case the next alert is right, because Discord
 * does not restore what is deleted.
 */
export const isGone = ({ troubles }: Evidence, { channelId, at }: MessageTruth, next: MessageTruth): boolean =>
  troubles.some((trouble) => {
    return trouble.how === "deleted" && trouble.channelId === channelId && trouble.from > at && trouble.from < next.at;
  });

/**
 * Whether alerts were turned off after the alert, and then on for payments alone. An order that is paid after that gets another
 * alert. So does an order that no list had when its status was added to the alerts again.
 */
function isOfPayments(evidence: Evidence, { statuses }: OrderTruth, { at }: MessageTruth, next: MessageTruth): boolean {
  const wasGone = statuses.some((one) => one.status === undefined && one.at > at && one.at < next.at);
  const since = possibleIn(evidence, wasGone ? at : next.at, next.at);
  return !surelyOn(evidence, at, next.at) && since.some(({ alerts }) => alerts?.statuses.includes("PENDING") === false);
}

/** Each order has one alert. */
export const alerted: Checker = (evidence) => {
  const isRestored = wasRestored(evidence);
  return [...evidence.orders.values()].flatMap((order) => {
    const alerts = messagesOf(evidence, "alert", order.id);
    const by = isRestored ? undefined : due(evidence, order);
    const since = `${name(order)}, ${order.statuses.map(({ at, status }) => `${status} at ${clockOf(at)}`).join(", ")}`;
    if (by !== undefined && alerts.length === 0) return finding("never alerted", `${since}, has no alert`);
    const [first] = alerts;
    if (by !== undefined && first !== undefined && first.at > by) {
      return finding("alerted late", `${since}, alerted at ${clockOf(first.at)}, due at ${clockOf(by)}`);
    }
    const standing = alerts.filter((alert, at) => {
      const next = alerts[at + 1];
      if (next === undefined) return true;
      if (isGone(evidence, alert, next) || isOfPayments(evidence, order, alert, next)) return false;
      return !isForgotten(evidence, alert.at, next.at);
    });
    if (standing.length < 2) return [];
    // Without enforced nonces nobody can prevent two alerts, because a message that seemed lost can arrive late. Such orders
    // are only counted (`doubled`).
    if (!evidence.setup.discord.nonces) return [];
    if (isRestored && isUnread(evidence)) return [];
    const text = `${name(order)} has ${alerts.length} alerts, ${timesOf(alerts)}`;
    return finding("alerted twice", text);
  });
};
