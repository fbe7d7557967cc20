import { clockOf, type Evidence, type Finding, firstOf, type OrderTruth } from "../world/record.ts";
import {
  finding,
  isForgotten,
  messagesOf,
  name,
  ofEachOrder,
  roleIn,
  statusPeriods,
  timesOf,
  wasRestored,
} from "./reading.ts";
import { possibleIn, surelyRings } from "./settings.ts";
import { lastsUntilShown } from "./statuses.ts";

function look(evidence: Evidence, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, setup, troubles } = evidence;
  const replies = messagesOf(evidence, "refund", order.id);
  const [first] = replies;
  const isLimit = !setup.discord.nonces || wasRestored(evidence) || isForgotten(evidence, order.placedAt, endsAt);
  if (replies.length > 1 && !isLimit) {
    return finding("refund told twice", `${name(order)}, ${timesOf(replies)}`);
  }
  const back = statusPeriods(order).find(({ status }) => status === "REFUNDED");
  if (first !== undefined) {
    const isTold = possibleIn(evidence, order.placedAt, first.at).some(
      ({ alerts }) => alerts?.statuses.includes("PENDING") && alerts.statuses.includes("PAID"),
    );
    const isRight = back !== undefined && back.from <= first.at && (isTold || isLimit);
    const isSilent = roleIn(firstOf(first).content) === undefined;
    return isRight && isSilent ? [] : finding("refund told", `${name(order)}, at ${clockOf(first.at)}`);
  }
  const [alert] = messagesOf(evidence, "alert", order.id);
  const isPlain = !order.statuses.some(({ status }) => status === undefined || status === "CANCELLED");
  if (back === undefined || alert === undefined || back.to < endsAt || isLimit || !isPlain) return [];
  const isSure = ["PENDING", "PAID"].every((status) => surelyRings(evidence, status, order.placedAt, endsAt));
  if (!isSure || back.from > calmFrom || back.from < alert.at || !lastsUntilShown(evidence, alert.at)) return [];
  // If the store says in two polls that the order does not exist, the bot believes it.
  if (troubles.some(({ how }) => how === "not-found")) return [];
  return finding("refund not told", `${name(order)}, paid back at ${clockOf(back.from)}`);
}

/** A refund is announced once, if new and paid orders are announced. */
export const refunds = ofEachOrder(look);
