import type { Guild } from "../guilds/guild.ts";
import { meaningOf } from "../store-api/order-status.ts";
import { hasStatus } from "../store-api/orders.ts";
import { paidMessage } from "../views/alert.ts";
import { parseCustomId } from "../views/custom-id.ts";
import { contextOf } from "./alert-order.ts";
import type { Ledger, PostedEntry } from "./ledger.ts";
import type { Messenger } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";

/** How far the clocks of this machine and of Discord may differ when a message is looked for. */
const clockMarginMs = 10 * 60_000;

/** Whether a status that rings is what this store calls paid: one that is good news, or its own word for it. */
function isPaid(status: string, statuses: readonly string[]): boolean {
  const { stage } = meaningOf(status);
  return hasStatus({ status }, statuses) && (stage === "good" || stage === "unknown");
}

/** Whether the order, which has another status than before, rings once more: it was not paid when its alert was posted. */
const isDue = ({ paid }: PostedEntry, before: string, now: string, statuses: readonly string[]) =>
  paid !== "rung" && !isPaid(before, statuses) && isPaid(now, statuses);

/** Whether a posted order may still come to a status that rings for a payment: until then it is followed. */
export function mayBePaid({ paid, order }: PostedEntry, statuses: readonly string[]): boolean {
  const { stage } = meaningOf(order.status);
  const isOpen = stage === "waiting" || stage === "working" || stage === "unknown";
  return paid !== "rung" && isOpen && !isPaid(order.status, statuses) && statuses.some((one) => isPaid(one, statuses));
}

/** An order of a message, as its alert has it, and the status that it has come to. */
export interface StatusChange {
  readonly entry: PostedEntry;
  readonly status: string;
}

export interface PaidRingInput {
  readonly guild: Guild;
  /** Orders of one message. */
  readonly changes: readonly StatusChange[];
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  /** Ends a send that has not left yet. */
  readonly signal: AbortSignal;
  /** Throws where another process polls now, or everything was forgotten: nothing may be sent or recorded any more. */
  assertMine(): void;
}

/** Ids that another message of the channel than the alert has: they were rung for, and the process ended before it knew. */
async function rungAlready({ messenger }: PaidRingInput, noted: readonly PostedEntry[]): Promise<Set<string>> {
  const [first] = noted;
  if (first === undefined) return new Set();
  const since = Math.min(...noted.map(({ foundAt }) => foundAt)) - clockMarginMs;
  const messages = await messenger.own(first.channelId, since);
  const others = messages.filter(({ id }) => id !== first.messageId);
  return new Set(others.flatMap(({ marks }) => marks.flatMap((mark) => [mark, ...(parseCustomId(mark)?.args ?? [])])));
}

/**
 * Replies to the alert of orders that were paid since, with the role, once for each order: that it is about to is put down
 * before it is sent, and whoever finds that so looks in the channel first. Gives the entries as they are now.
 *
 * Rejects with what the messenger, the ledger and `assertMine` reject with.
 */
export async function ringPaid(input: PaidRingInput): Promise<PostedEntry[]> {
  const { guild, changes, ledger, messenger } = input;
  const { statuses = [], roleId } = guild.alerts ?? {};
  const due = changes.filter(({ entry, status }) => isDue(entry, entry.order.status, status, statuses));
  const [first] = due;
  if (first === undefined) return changes.map(({ entry }) => entry);
  const noted = due.flatMap(({ entry }) => (entry.paid === "noted" ? [entry] : []));
  const rung = await rungAlready(input, noted);
  const silent = due.filter(({ entry }) => !rung.has(entry.order.id));
  if (silent.length > 0) {
    input.assertMine();
    await ledger.keepPosted(silent.map(({ entry }) => ({ ...entry, paid: "noted" })));
    const { channelId, messageId } = first.entry;
    const orders = silent.map(({ entry, status }) => ({ ...entry.order, status }));
    const nonce = nonceFor(guild.id, channelId, ["paid", ...orders.map(({ id }) => id)]);
    input.assertMine();
    await messenger.send(channelId, paidMessage(orders, contextOf(guild), roleId), nonce, input.signal, messageId);
    input.assertMine();
  }
  const told = new Map(due.map(({ entry }) => [entry.order.id, { ...entry, paid: "rung" as const }]));
  await ledger.keepPosted([...told.values()]);
  return changes.map(({ entry }) => told.get(entry.order.id) ?? entry);
}
