import type { Guild } from "../guilds/guild.ts";
import type { Change, Orders, Outbox } from "../orders/ledger.ts";
import { type Kind, keyOf, type OutboxRow, type RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import type { ChannelHealth, Lane } from "./channel-health.ts";
import type { Destination } from "./destination.ts";
import type { PostedMessage } from "./messenger.ts";

/** Discord takes 5 messages in 5 s per channel. */
export const mostSingles = 5;

type MessageRowKind = Exclude<Kind, "edit">;
/** A row of the outbox that becomes a message of its own. An edit only changes an existing message. */
export type MessageRow = RowOf<MessageRowKind>;
export type Kinds = { readonly [K in MessageRowKind]: MessageKind<K> } & { readonly edit: RowKind<"edit"> };

/** The channel, lane and settings with which one batch of rows is searched for and posted. */
export interface Scope {
  readonly lane: Lane;
  readonly target: Destination;
  readonly guild: Guild;
  readonly planning: Planning;
  /** Aborted when the server's record changes. A send that used the old record does not begin after that. */
  readonly stop: AbortSignal;
}

/** Input of `render` besides the rows: the settings, the destination of the message, and the orders that it shows. */
export interface Scene {
  readonly guild: Guild;
  /** The orders that the rows name. Each has the status that the message shows, which may be older than the current one. */
  readonly orders: Orders;
  readonly target: Destination;
}

/** The facts about a posted message that `afterPosted` records. */
export interface PostedRecord {
  readonly channelId: string;
  readonly messageId: string;
  readonly isClassic: boolean;
  /** Ids of all orders in the message, in the sequence in which the message shows them. */
  readonly members: readonly string[];
  /** Maps the id of each order to the status that the message shows. An order whose shown status is unknown is left out. */
  readonly shown: ReadonlyMap<string, string>;
  /** Start of the search (epoch ms), if a search found the message. A reply to the message may have been posted since then, too. */
  readonly searchedSince?: number;
}

/** How the sender works on rows of one kind: in which lane (see `Lane` in channel-health.ts), channel and sequence. */
export interface RowKind<K extends Kind> {
  readonly lane: Lane;
  /** Decides between rows of a channel that failed equally often: the lowest rank is sent first. By default 0. */
  readonly rank?: number;
  /** Returns the destination of the row, or undefined if the row is no longer wanted. */
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Pick<Destination, "channelId" | "rule"> | undefined;
  /** Returns true while another row has to be posted before this one. */
  isEarly?(row: RowOf<K>, outbox: Outbox, guild: Guild): boolean;
  /** Milliseconds until the row is due. */
  dueInMs?(row: RowOf<K>, planning: Planning): number;
}

/**
 * Everything that differs between the kinds of messages. Each kind is a file in kinds/. "Marks" are the texts by which the bot
 * recognises its own message: custom ids, and invisible text.
 */
export interface MessageKind<K extends MessageRowKind> extends RowKind<K> {
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Destination | undefined;
  /** Text of the log line about a posted message. */
  readonly logText: string;
  /** Returns the ids of the orders that the row is about. */
  orderIds(row: RowOf<K>): readonly string[];
  /** Returns the maximum number of rows in one message. By default each row gets its own message. */
  most?(row: RowOf<K>, guild: Guild): number;
  /** Returns a group name. Rows of one channel may share a message only if their group names are equal. */
  groupOf?(row: RowOf<K>): string;
  /** If at most this many rows wait in a channel, each gets its own message. More rows share messages. By default 1. */
  readonly singles?: number;
  /**
   * Called right before the send. Returns the part of the row that is still to be posted, or undefined if nothing is. Throws
   * `StoreError`.
   *
   * @param stop aborted when the server's record changes
   */
  wanted?(row: RowOf<K>, guild: Guild, orders: Orders, stop: AbortSignal): Promise<RowOf<K> | undefined>;
  /** @param isBare leaves out texts that other people wrote, because Discord may refuse the message for them */
  render(rows: readonly RowOf<K>[], scene: Scene, isBare: boolean): PostPayload | Promise<PostPayload>;
  /** Returns the start of the search (epoch ms) for a row that may have been posted since `inDoubtSince`. */
  searchSince?(row: RowOf<K>, inDoubtSince: number, orders: Orders): number;
  marks(row: RowOf<K>, guildId: string): readonly string[];
  /** Returns the marks that a message carries, or none if the message is of another kind. */
  marksOf(message: Pick<PostedMessage, "marks" | "orderIds">): readonly string[];
  /** Returns further changes to record when the row is posted. The row itself is always removed. */
  afterPosted?(
    row: RowOf<K>,
    message: PostedRecord,
    orders: Orders,
    planning: Planning & { readonly outbox: Outbox },
  ): Change;
}

/** Type for code that treats all kinds of messages alike. */
export type AnyKind = MessageKind<MessageRowKind>;

/** Returns the kind of the row. */
export function kindOf(row: MessageRow, kinds: Kinds): AnyKind;
export function kindOf(row: OutboxRow, kinds: Kinds): RowKind<Kind>;
export function kindOf(row: OutboxRow, kinds: Kinds): unknown {
  return kinds[row.kind];
}

/**
 * Returns the id of the row's order and the status that the row's last attempt in the channel shows. Empty if the status is
 * unknown.
 */
export function statusShown(row: MessageRow, channelId: string, kind: AnyKind): readonly [string, string][] {
  const attempt = row.attempts.findLast((one) => one.channelId === channelId);
  const status = attempt?.shown[attempt.members.indexOf(keyOf(row))];
  const [orderId] = kind.orderIds(row);
  return status === undefined || orderId === undefined ? [] : [[orderId, status]];
}
