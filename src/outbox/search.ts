import { setImmediate } from "node:timers/promises";
import type { Orders } from "../orders/ledger.ts";
import { keyOf, type OutboxRow } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan.ts";
import { notInFuture } from "../storage/data-record.ts";
import { type AnyKind, type MessageRow, type PostedRecord, type Scope, statusShown } from "./kind.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { blocksChannel } from "./notices.ts";
import type { RowMemory } from "./row-memory.ts";

/** The clocks of this machine and of Discord may differ by this much. */
const clockMarginMs = 10 * 60_000;
/** Messages compared before the event loop gets a turn. */
const messagesAtOnce = 200;

export interface SearchDeps {
  readonly guildId: string;
  readonly messenger: Pick<Messenger, "own">;
  readonly memory: RowMemory;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Start of the search in a channel for messages that were sent at one of these times or later. All times are epoch ms. */
export const searchSince = (times: readonly number[], now: number): number =>
  Math.min(...times.map((time) => notInFuture(time, now))) - clockMarginMs;

/** Messages that are in doubt could not be searched for. */
export class SearchError extends Error {
  readonly reason: MessengerError;

  constructor(reason: MessengerError) {
    super("messages in doubt could not be searched for", { cause: reason });
    this.reason = reason;
  }
}

/**
 * Finds which messages of one server were posted already. A row is in doubt if its message may have been posted: an attempt is
 * recorded, or a restored copy of the storage may be older than the post.
 */
export class Search {
  private readonly deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.deps = deps;
  }

  /** Since when (epoch ms) the row's message may have been posted; undefined if it was certainly not. */
  inDoubtSince(row: OutboxRow, planning: Planning): number | undefined {
    if (this.deps.memory.wasNotFound(keyOf(row))) return undefined;
    const times = [...row.attempts.map(({ at }) => at), ...restoredSince(row, planning)];
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /**
   * Searches for rows of one kind. Returns the rows that were posted, with their messages, and the channels that were read.
   * Throws `SearchError`; and `MessengerError` if the target is gone.
   */
  async find(
    rows: readonly MessageRow[],
    orders: Orders,
    kind: AnyKind,
    scope: Scope,
  ): Promise<{ readonly found: ReadonlyMap<MessageRow, PostedRecord>; readonly channelIds: ReadonlySet<string> }> {
    const { guildId, now } = this.deps;
    const starts = rows.map((row) => {
      const inDoubtSince = this.inDoubtSince(row, scope.planning) ?? row.foundAt;
      return kind.searchSince?.(row, inDoubtSince, orders) ?? inDoubtSince;
    });
    const searchedSince = searchSince(starts, now());
    const rowOfMark = new Map(rows.flatMap((row) => kind.marks(row, guildId).map((mark) => [mark, row] as const)));
    const channelIds = channelsOf(rows, kind, scope);
    const found = new Map<MessageRow, PostedRecord>();
    for (const channelId of channelIds) {
      const messages = await this.read(channelId, searchedSince, scope.target.channelId);
      // Messages are newest first. The oldest one of an order is its alert: later ones have the same marks.
      for (const [index, message] of messages.entries()) {
        if (index % messagesAtOnce === messagesAtOnce - 1) await setImmediate();
        const members = kind.marksOf(message);
        const posted = members
          .flatMap((mark) => rowOfMark.get(mark) ?? [])
          .filter((row) => !repliesTo(row, message.id));
        const shown = new Map(posted.flatMap((row) => statusShown(row, channelId, kind)));
        const record = { channelId, messageId: message.id, isClassic: !message.isV2, members, shown, searchedSince };
        for (const row of posted) found.set(row, record);
      }
    }
    return { found, channelIds };
  }

  /** This bot's messages in a channel, newest first. None if the channel is lost and is not the target. */
  private async read(channelId: string, since: number, targetId: string) {
    try {
      return await this.deps.messenger.own(channelId, since);
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      if (channelId !== targetId && blocksChannel(error.code)) return [];
      throw error.code === "channel_gone" ? error : new SearchError(error);
    }
  }
}

/** Times (epoch ms) since which the row may have been posted after the copy was made that the storage was restored from. */
const restoredSince = (row: OutboxRow, planning: Planning): readonly number[] =>
  [row.since, planning.sentSince(row.foundAt)].filter((time) => time !== undefined);

/** The channels in which these rows may have been posted. A restored copy may lack attempts, in any channel of the rows. */
function channelsOf(rows: readonly MessageRow[], kind: AnyKind, { target, guild, planning }: Scope): Set<string> {
  return new Set(
    rows.flatMap((row) => {
      const attempted = row.attempts.map(({ channelId }) => channelId);
      if (restoredSince(row, planning).length === 0) return attempted;
      return [...attempted, target.channelId, ...kind.otherChannels(row, guild)];
    }),
  );
}

/** Whether this is the message that the row replies to: both have the same marks. */
const repliesTo = (row: MessageRow, messageId: string) => "messageId" in row && row.messageId === messageId;
