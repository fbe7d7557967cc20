import { setImmediate } from "node:timers/promises";
import type { Orders } from "../orders/ledger.ts";
import type { OutboxRow } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan-messages.ts";
import { notInFuture } from "../storage/data-record.ts";
import type { AnyKind, MessageRow, PostedRecord, Scope, SenderState } from "./kind.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { blocksChannel } from "./notices.ts";
import type { RowMemory } from "./row-memory.ts";

// Before a message in doubt is sent, posting.ts searches for it. A row is in doubt in three cases: an attempt is recorded; the
// row has a `since`; or the storage is a restored copy that may be older than the message.

/** Maximum difference between the clocks of this machine and of Discord. */
const clockMarginMs = 10 * 60_000;
/** This many messages are compared before other work of the process runs. */
const messagesAtOnce = 200;

interface SearchResult {
  readonly found: ReadonlyMap<MessageRow, PostedRecord>;
  readonly unread: ReadonlySet<string>;
}

/** Since when the message may be in a channel (epoch ms). Undefined if it is not in doubt, or if a search did not find it. */
export function inDoubtSince(row: OutboxRow, planning: Planning, memory: RowMemory): number | undefined {
  if (memory.notFound.get(row)?.aborted === false) return undefined;
  const times = [planning.sinceOf(row), ...row.attempts.map(({ at }) => at)].filter((time) => time !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** All rows must be of the same kind. `unread`: channels that the bot may not read now. Throws `MessengerError`. */
export async function findPosted(
  { server, memory }: SenderState,
  { rows, kind, orders }: { readonly rows: readonly MessageRow[]; readonly kind: AnyKind; readonly orders: Orders },
  scope: Scope,
): Promise<SearchResult> {
  const { guildId, messenger, now } = server;
  const starts = rows.map((row) => {
    const since = inDoubtSince(row, scope.planning, memory) ?? row.foundAt;
    return notInFuture(kind.searchSince?.(row, since, orders) ?? since, now());
  });
  const searchedFrom = Math.min(...starts) - clockMarginMs;
  const rowOfMark = new Map(rows.flatMap((row) => kind.marks(row, guildId).map((mark) => [mark, row] as const)));
  const found = new Map<MessageRow, PostedRecord>();
  const unread = new Set<string>();
  for (const channelId of channelsOf(rows, scope)) {
    const messages = await read(messenger, channelId, searchedFrom, scope.target.channelId);
    if (messages === undefined) {
      unread.add(channelId);
      continue;
    }
    // Messages are newest first, so `found` keeps the oldest match. The oldest message of an order is its alert; later
    // messages about the order have the same marks.
    for (const [index, message] of messages.entries()) {
      if (index % messagesAtOnce === messagesAtOnce - 1) await setImmediate();
      const members = kind.marksOf(message);
      const isOther = (row: MessageRow) =>
        repliesTo(row, message.id) ||
        kind.orderIds(row).some((id) => orders.get(id)?.formerPlace?.messageId === message.id);
      const posted = members.flatMap((mark) => rowOfMark.get(mark) ?? []).filter((row) => !isOther(row));
      const record = { channelId, messageId: message.id, isClassic: message.isClassic, members };
      for (const row of posted) found.set(row, record);
    }
  }
  return { found, unread };
}

/**
 * Returns no messages if the channel was deleted, and undefined if the bot may not read it. For the target channel, throws
 * `MessengerError` in both cases.
 */
async function read(messenger: Pick<Messenger, "postedSince">, channelId: string, since: number, targetId: string) {
  try {
    return await messenger.postedSince(channelId, since);
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error;
    if (channelId !== targetId && blocksChannel(error.code)) return error.code === "channel_gone" ? [] : undefined;
    throw error;
  }
}

/**
 * Returns the channels of the rows' attempts. A restored copy may lack attempts. So for its rows, also returns the target
 * channel, the alert channel and, for a reply or a reminder, the channel of its alert.
 */
function channelsOf(rows: readonly MessageRow[], { target, guild, planning }: Scope): Set<string> {
  return new Set(
    rows.flatMap((row) => {
      const attempted = row.attempts.map(({ channelId }) => channelId);
      if (planning.sinceOf(row) === undefined) return attempted;
      const ofAlert = "messageId" in row ? [row.channelId] : [];
      return [...attempted, target.channelId, ...ofAlert, ...(guild.alerts ? [guild.alerts.channelId] : [])];
    }),
  );
}

/** The alert has the same marks as a reply to it. */
const repliesTo = (row: MessageRow, messageId: string) => "messageId" in row && row.messageId === messageId;
