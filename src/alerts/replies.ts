import type { Guild } from "../guilds/guild.ts";
import { meaningOf, tellsRefunds } from "../store-api/order-status.ts";
import { hasStatus, sameStatus } from "../store-api/orders.ts";
import { type AlertOrder, paidMessage, refundMessage, replyOf } from "../views/alert.ts";
import { parseCustomId } from "../views/custom-id.ts";
import { isRouted } from "../views/hidden-mark.ts";
import { contextOf } from "./alert-order.ts";
import { HiddenHistory } from "./follow-waits.ts";
import type { Ledger, PostedEntry } from "./ledger.ts";
import { lookFrom } from "./look-from.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import type { Place } from "./place.ts";
import type { Restored } from "./restored.ts";
import { isClear, sendReply } from "./send-reply.ts";

/** What is said of an order once more, as a reply to its alert: the ring for its payment, and that it was paid back. */
export type Reply = "paid" | "refunded";

const isGood = (status: string) => meaningOf(status).stage === "good";
export const isReversed = (status: string) => meaningOf(status).stage === "reversed";

/**
 * Whether a status is what this store calls paid, where payments ring: good news, if any good news was chosen (what is paid
 * may be delivered by the time it is seen), or a word of the store's own that was chosen.
 */
export function isPaid(status: string, statuses: readonly string[]): boolean {
  if (isGood(status)) return statuses.some(isGood);
  return meaningOf(status).stage === "unknown" && hasStatus({ status }, statuses);
}

/**
 * What an order that comes to this status is answered with. It rings once more where it was not paid when its alert was
 * posted. Of two words of the store's own nobody knows which is which; beside good news, the other one was none.
 */
export function replyDue(
  { paid, refunded, order }: PostedEntry,
  now: string,
  statuses: readonly string[],
): Reply | undefined {
  if (isReversed(now)) return refunded !== "rung" && tellsRefunds(statuses) ? "refunded" : undefined;
  const wasPaid = isGood(order.status) || (isPaid(order.status, statuses) && !isGood(now));
  return paid !== "rung" && !wasPaid && isPaid(now, statuses) ? "paid" : undefined;
}

/**
 * Whether a rule has rung for what this order came to, or for a payment before: what is paid may be delivered by the time
 * that the ring is due.
 *
 * @param rung the statuses for which rules rang
 */
export function isRungByRule(rung: readonly string[], now: string, statuses: readonly string[]): boolean {
  return rung.some((one) => sameStatus(one, now) || (isPaid(now, statuses) && isGood(one) && isPaid(one, statuses)));
}

/**
 * Whether a posted order may still come to a status that rings for a payment: until then it is followed. One that failed or
 * expired may be paid late.
 */
export function mayBePaid({ paid, order }: PostedEntry, statuses: readonly string[]): boolean {
  const { stage } = meaningOf(order.status);
  const isOver = stage === "good" || stage === "reversed";
  const rings = statuses.some((one) => meaningOf(one).stage !== "waiting" && isPaid(one, statuses));
  return paid !== "rung" && !isOver && rings;
}

/** An order of a message, as its alert has it, and the status that it has come to. */
export interface StatusChange {
  readonly entry: PostedEntry;
  readonly status: string;
}

export interface ReplyInput {
  readonly guild: Guild;
  readonly place: Place;
  readonly reply: Reply;
  /** Orders of one message for which it is due. */
  readonly changes: readonly StatusChange[];
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly restored: MayBeRung;
  /** Epoch ms. */
  readonly now: () => number;
  /** Ends a send that has not left yet. */
  readonly signal: AbortSignal;
  /** Throws where another process polls now, or everything was forgotten: nothing may be sent or recorded any more. */
  assertMine(): void;
}

type MayBeRung = Pick<Restored, "rungSince">;

/** From when on (epoch ms) this reply to an alert may stand in a channel; undefined where it does not. */
const doubtSince = async (entry: PostedEntry, reply: Reply, restored: MayBeRung) =>
  entry[reply] === "noted" ? entry.foundAt : restored.rungSince(entry);

/** Whether this reply to an alert may have been sent already. */
export const isInDoubt = async (entry: PostedEntry, reply: Reply, restored: MayBeRung): Promise<boolean> =>
  (await doubtSince(entry, reply, restored)) !== undefined;

/**
 * Ids that such a reply in these channels has: it was sent, and the process ended before it knew. Undefined where nothing
 * was to be looked for.
 */
async function rungAlready({ guild, messenger, restored, reply, changes, place: { channelId }, now }: ReplyInput) {
  const begins: number[] = [];
  for (const { entry } of changes) {
    const since = await doubtSince(entry, reply, restored);
    if (since !== undefined) begins.push(since);
  }
  const [first] = changes.map(({ entry }) => entry);
  if (first === undefined || begins.length === 0) return undefined;
  const since = lookFrom(begins, now());
  const found = new Set<string>();
  // Where the rule had lost its channel, it was rung in the alerts' own.
  const tried = changes.flatMap(({ entry }) => entry.rungIn ?? []);
  for (const place of new Set([channelId, first.channelId, guild.alerts?.channelId ?? channelId, ...tried])) {
    const messages = await messenger.own(place, since).catch((error: unknown) => {
      const isGone = error instanceof MessengerError && error.code !== "uncertain";
      if (place !== channelId && isGone) return [];
      const isHidden = isGone && error.code === "forbidden";
      throw isHidden ? new HiddenHistory(error.code, error, error.retryAfterMs) : error;
    });
    for (const { id, marks } of messages) {
      const isSuch = replyOf(marks) === (reply === "refunded" ? "refund" : undefined);
      if (id === first.messageId || !isSuch || isRouted(marks)) continue;
      for (const mark of marks) for (const part of [mark, ...(parseCustomId(mark)?.args ?? [])]) found.add(part);
    }
  }
  return found;
}

/** Sends it as a reply where that can be. */
async function send(
  { guild, place, reply, messenger, signal }: ReplyInput,
  alert: PostedEntry,
  orders: readonly AlertOrder[],
) {
  const { channelId, roleId } = place;
  const ctx = contextOf(guild);
  const bare = orders.map((order) => ({ ...order, items: [], paymentMethod: "" }));
  const messageOf = (shown: readonly AlertOrder[]) =>
    reply === "paid" ? paidMessage(shown, ctx, roleId) : refundMessage(shown, ctx);
  await sendReply(messenger, {
    channelId,
    replyTo: channelId === alert.channelId ? alert.messageId : undefined,
    payload: messageOf(orders),
    bare: messageOf(bare),
    nonce: nonceFor(guild.id, channelId, [reply, ...orders.map(({ id }) => id)]),
    signal,
  });
}

/**
 * Says in the alert channel that orders were paid, with the role, or paid back since their alert, once for each order: that
 * it is about to is put down before it is sent, and whoever finds that so looks in the channel first.
 *
 * Rejects with what the messenger, the ledger and `assertMine` reject with; where Discord clearly refused, nothing is noted
 * any more.
 *
 * @returns whether it looked there
 */
export async function replyTo(input: ReplyInput): Promise<boolean> {
  const { changes, reply, ledger, assertMine } = input;
  const [first] = changes;
  if (first === undefined) return false;
  const rung = await rungAlready(input);
  const silent = changes.filter(({ entry }) => !rung?.has(entry.order.id));
  const mark = (which: readonly StatusChange[], state: PostedEntry[Reply]) => {
    const rungIn = state === "noted" ? input.place.channelId : undefined;
    return ledger.keepPosted(which.map(({ entry }) => ({ ...entry, [reply]: state, rungIn })));
  };
  if (silent.length > 0) {
    assertMine();
    await mark(silent, "noted");
    assertMine();
    const orders = silent.map(({ entry, status }) => ({ ...entry.order, status }));
    try {
      await send(input, first.entry, orders);
    } catch (error) {
      assertMine();
      if (isClear(error)) await mark(silent, undefined);
      throw error;
    }
    assertMine();
  }
  await mark(changes, "rung");
  return rung !== undefined;
}
