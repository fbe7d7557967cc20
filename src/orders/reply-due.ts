import { isGood, isPaid, isReversed, meaningOf, sameStatus, tellsRefunds } from "../store-api/order-status.ts";
import type { Outbox } from "./ledger.ts";
import type { PostedOrder } from "./order-row.ts";
import { type RowOf, replyKey } from "./outbox-row.ts";

type ReplyCause = RowOf<"reply">["what"];

/**
 * `paid` is due if `now` means paid, and the earlier status did not. It is unclear whether a status in the store's own words
 * means paid. So if a good status follows such a status, `paid` is due, too. A reply that was posted or waits is not due again.
 */
export function replyDue(
  { paid, refunded, facts }: PostedOrder,
  now: string,
  statuses: readonly string[],
  outbox: Outbox,
): ReplyCause | undefined {
  const isWaiting = (what: ReplyCause) => outbox.has(replyKey(what, facts.id));
  if (isReversed(now)) return !refunded && !isWaiting("refunded") && tellsRefunds(statuses) ? "refunded" : undefined;
  const wasPaid = isGood(facts.status) || (isPaid(facts.status, statuses) && !isGood(now));
  return !paid && !isWaiting("paid") && !wasPaid && isPaid(now, statuses) ? "paid" : undefined;
}

/** Whether a reply that waits is still true. The order may have changed its status since the reply became due. */
export const isStillDue = ({ what, facts: { status } }: RowOf<"reply">, statuses: readonly string[]) =>
  what === "refunded" ? isReversed(status) : isPaid(status, statuses);

/** Whether a rule has told the staff about the status `now`. If `now` means paid, a message about any good status counts. */
export const isAlertedByRule = (alertedFor: readonly string[], now: string, statuses: readonly string[]) =>
  alertedFor.some((one) => sameStatus(one, now) || (isPaid(now, statuses) && isGood(one) && isPaid(one, statuses)));

/** An order that failed or expired may be paid late. */
export function mayBePaid({ paid, facts }: PostedOrder, statuses: readonly string[]): boolean {
  const isOver = isGood(facts.status) || isReversed(facts.status);
  const isWaitedFor = statuses.some((one) => meaningOf(one).stage !== "waiting" && isPaid(one, statuses));
  return !paid && !isOver && isWaitedFor;
}
