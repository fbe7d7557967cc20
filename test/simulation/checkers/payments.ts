import {
  clockOf,
  type Evidence,
  type Finding,
  firstOf,
  type MessageTruth,
  minute,
  type OrderTruth,
} from "../world/record.ts";
import { isGone, readingMs } from "./alerted.ts";
import { asKnown, mayMissRule } from "./categories.ts";
import {
  finding,
  isForgotten,
  isUnread,
  lineOf,
  messagesOf,
  name,
  ofEachOrder,
  pollsToFind,
  roleIn,
  statusPeriods,
  timesOf,
  wasRestored,
} from "./reading.ts";
import { placeOf, possibleIn, surelyOff, surelyRings } from "./settings.ts";
import { msToShow } from "./statuses.ts";

function ringsOf(evidence: Evidence, order: OrderTruth): readonly MessageTruth[] {
  const ofRules = messagesOf(evidence, "rule", order.id).filter((message) => /Paid/.test(firstOf(message).content));
  // An alert of an order that was paid before the alert also announces the payment.
  const asPaid = messagesOf(evidence, "alert", order.id).filter((message) =>
    lineOf(firstOf(message), order)?.includes("Paid"),
  );
  const all = [...messagesOf(evidence, "payment", order.id), ...ofRules, ...asPaid];
  return all.toSorted((one, other) => one.at - other.at);
}

function count(evidence: Evidence, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, setup } = evidence;
  const rings = ringsOf(evidence, order);
  const [first, second] = rings;
  if (first !== undefined && second !== undefined) {
    // A rule for the status PAID also announces payments that were seen before the rule was made.
    const isRule = possibleIn(evidence, order.placedAt, second.at).some(({ rules }) =>
      rules.some(({ status }) => status === "PAID"),
    );
    // Another alert may announce the payment again. alerted.ts checks whether the order may have another alert.
    const isAlertedAgain = messagesOf(evidence, "alert", order.id).some(({ at }) => at > first.at && at <= second.at);
    const isRestored = wasRestored(evidence);
    if (
      isRule ||
      !setup.discord.nonces ||
      isForgotten(evidence, first.at, second.at) ||
      isGone(evidence, first, second) ||
      isAlertedAgain ||
      (isRestored && isUnread(evidence))
    )
      return [];
    return finding("paid rung twice", `${name(order)}, ${timesOf(rings)}`);
  }
  const paid = statusPeriods(order).find(({ status }) => status === "PAID");
  const [alert] = messagesOf(evidence, "alert", order.id);
  if (rings.length > 0 || paid === undefined || alert === undefined || order.statuses.length > 2) return [];
  // Without enforced nonces an order may have two alerts, and the second alert looks like a reply.
  if (!setup.discord.nonces && messagesOf(evidence, "alert", order.id).length > 1) return [];
  const roundMs = pollsToFind(evidence, false) * setup.pollMs;
  const isDue = paid.to >= endsAt && paid.from < Math.min(calmFrom, endsAt - roundMs) && paid.from > order.placedAt;
  // A status that was added counts from its baseline on.
  const isSure =
    surelyRings(evidence, "PENDING", order.placedAt, endsAt) &&
    surelyRings(evidence, "PAID", Math.max(order.placedAt, paid.from - readingMs), endsAt);
  if (!isDue || !isSure || wasRestored(evidence)) return [];
  return finding("payment not rung", `${name(order)}, paid at ${clockOf(paid.from)}, alerted at ${clockOf(alert.at)}`);
}

/** Finds a payment that was announced although alerts were off when the order was paid. */
function late(evidence: Evidence, order: OrderTruth): Finding[] {
  const paid = statusPeriods(order).find(({ status }) => status === "PAID");
  const [ring] = messagesOf(evidence, "payment", order.id);
  if (paid === undefined || ring === undefined || wasRestored(evidence)) return [];
  const wasOff =
    surelyOff(evidence, paid.from - minute, paid.from + minute) && ring.at > paid.from && ring.at < paid.to;
  if (!wasOff) return [];
  return finding("paid while off", `${name(order)}, paid at ${clockOf(paid.from)}, rang at ${clockOf(ring.at)}`);
}

const ended: readonly (string | undefined)[] = ["CANCELLED", "EXPIRED", "FAILED", "REFUNDED"];

/** Finds a payment that was announced although the store had long shown that the order was no longer paid. */
function untrue(evidence: Evidence, order: OrderTruth): Finding[] {
  const [ring] = messagesOf(evidence, "payment", order.id);
  const paid = statusPeriods(order).findLast(({ status }) => status === "PAID");
  if (ring === undefined || paid === undefined) return [];
  const since = statusPeriods(order).filter(({ from }) => from >= paid.to && from <= ring.at);
  if (since.length === 0 || since.some(({ status }) => !ended.includes(status))) return [];
  const isSeen = ring.at - evidence.setup.latency.discord[1] - minute > paid.to + msToShow(evidence);
  const others = evidence.troubles.filter(({ kind }) => kind !== "discord" && kind !== "channel");
  if (!isSeen || others.some(({ from, to }) => from <= ring.at && to >= paid.to)) return [];
  return finding("paid no more", `${name(order)}, paid until ${clockOf(paid.to)}, rang at ${clockOf(ring.at)}`);
}

/**
 * Finds an announcement of a payment that is no reply to the order's alert, or that mentions a wrong role. place.ts checks
 * alerts in a wrong channel.
 */
function isReply(evidence: Evidence, order: OrderTruth): Finding[] {
  const [ring] = messagesOf(evidence, "payment", order.id);
  const [alert] = messagesOf(evidence, "alert", order.id);
  const paid = statusPeriods(order).find(({ status }) => status === "PAID");
  if (ring === undefined || alert === undefined || paid === undefined || alert.at > ring.at) return [];
  if (evidence.troubles.some(({ channelId, how }) => channelId === alert.channelId || how === "restored")) return [];
  const possible = possibleIn(evidence, paid.from - minute, ring.at);
  if (mayMissRule(evidence, possible, order.placedAt, alert.at)) return [];
  const places = possible.flatMap((settings) => asKnown(order).map((one) => placeOf(settings, one, "PENDING")));
  // If the rule of the alert was removed and made again, the announcement is a reply to the alert.
  const isOfRule = possibleIn(evidence, 0, ring.at).every(({ alerts }) => alerts?.channelId !== alert.channelId);
  const isSame = places.every((place) => place?.channelId === alert.channelId);
  if (!isSame && !isOfRule) return [];
  if (ring.repliesTo === alert.id) {
    if (!isSame) return [];
    const here = possible.flatMap(({ rules }) => rules.filter(({ channelId }) => channelId === alert.channelId));
    // If the rule of the alert may have been removed, another rule with this channel decides about the role.
    const isKept = new Set(places.map((place) => place?.rule?.name)).size === 1;
    const isRight = [...places, ...(isKept ? [] : here)].some((place) => place?.role === roleIn(firstOf(ring).content));
    return isRight ? [] : finding("ring of another role", `${name(order)} rang at ${clockOf(ring.at)}`);
  }
  // If Discord refuses the reply, the message is sent without being a reply.
  const isHere = ring.channelId === alert.channelId;
  if (
    isHere &&
    evidence.troubles.some(({ kind, from, to }) => kind === "discord" && from <= ring.at && to >= alert.at)
  ) {
    return [];
  }
  // If the channel of a rule was lost, the bot tries it again within 5 minutes. Until then messages go to the channel
  // of alerts.
  const wasLost = evidence.troubles.some(
    ({ kind, from, to }) => kind === "discord" && from <= ring.at && to >= ring.at - 6 * minute,
  );
  if (
    !isHere &&
    wasLost &&
    possibleIn(evidence, alert.at, ring.at).every(({ alerts }) => alerts?.channelId === ring.channelId)
  )
    return [];
  // While no rule has the alert's channel, messages go to the alert channel.
  const isWithoutRule = possibleIn(evidence, ring.at - minute, ring.at).some(
    ({ alerts, rules }) =>
      alerts?.channelId === ring.channelId && rules.every(({ channelId }) => channelId !== alert.channelId),
  );
  if (!isHere && isWithoutRule) return [];
  const where = isHere ? "no reply to it" : "in another channel";
  return finding("ring apart from its alert", `${name(order)} rang at ${clockOf(ring.at)}, ${where}`);
}

/** A payment is announced once, in a reply to the alert. */
export const payments = ofEachOrder(count, late, untrue, isReply);
