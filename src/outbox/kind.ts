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
/** A row that becomes a message. */
export type MessageRow = RowOf<MessageRowKind>;
export type Kinds = { readonly [K in MessageRowKind]: MessageKind<K> } & { readonly edit: RowKind<"edit"> };

/** Where and by which settings rows of one channel are searched for and posted. */
export interface Scope {
  readonly lane: Lane;
  readonly target: Destination;
  readonly guild: Guild;
  readonly planning: Planning;
  /** Aborted when the server's record changes: no send by the old record begins after that. */
  readonly stop: AbortSignal;
}

/** Where a message goes, and the orders that it shows. */
export interface Scene {
  readonly guild: Guild;
  /** The orders that its rows name, in the statuses in which the message shows them. */
  readonly orders: Orders;
  readonly target: Destination;
}

/** What is recorded of a message that was posted. */
export interface PostedRecord {
  readonly channelId: string;
  readonly messageId: string;
  readonly isClassic: boolean;
  /** Ids of all orders in the message, in its order. */
  readonly members: readonly string[];
  /** The statuses in which the message shows its orders, by their ids. An order whose shown status is unknown is left out. */
  readonly shown: ReadonlyMap<string, string>;
  /** For a message that was found by a search: the start of the search, epoch ms. Replies to the message may be as old. */
  readonly searchedSince?: number;
}

/** Where and when rows of one kind are worked on. */
export interface RowKind<K extends Kind> {
  readonly lane: Lane;
  /** Of the rows of a channel that failed equally often, the lower rank comes first. */
  readonly rank: number;
  /** Returns undefined if the row is not wanted any more. */
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Pick<Destination, "channelId" | "route"> | undefined;
  /** Whether another row has to be posted first. */
  isEarly?(row: RowOf<K>, outbox: Outbox, guild: Guild): boolean;
  /** Milliseconds until the row is due. */
  dueInMs?(row: RowOf<K>, planning: Planning): number;
}

/** Everything that is special to one kind of message. */
export interface MessageKind<K extends MessageRowKind> extends RowKind<K> {
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Destination | undefined;
  /** The log's text for a message that was posted. */
  readonly logText: string;
  /** Ids of the orders that the row is about. */
  orderIds(row: RowOf<K>): readonly string[];
  /** Rows of one channel may share a message if they have the same text here. */
  groupOf(row: RowOf<K>): string;
  /** Up to this many rows of a channel get a message each. More rows share messages. */
  readonly singles: number;
  /** Most rows of one message. */
  most(row: RowOf<K>, guild: Guild): number;
  /** Returns the part of the row that is still to be posted, or undefined if nothing is. Asked right before the send. Throws `StoreError`. */
  wanted?(row: RowOf<K>, guild: Guild, orders: Orders): Promise<RowOf<K> | undefined>;
  /** @param isBare leaves out texts that other people wrote: Discord may refuse them */
  render(rows: readonly RowOf<K>[], scene: Scene, isBare: boolean): PostPayload | Promise<PostPayload>;
  /** Id of the message that the row replies to, if that message is in this channel. */
  replyTo?(row: RowOf<K>, channelId: string): string | undefined;
  /** Further channels in which a row may be posted whose storage was restored. */
  otherChannels(row: RowOf<K>, guild: Guild): readonly string[];
  /** Start of the search (epoch ms) for a row that may have been posted since `inDoubtSince`. */
  searchSince?(row: RowOf<K>, inDoubtSince: number, orders: Orders): number;
  /** Texts by which the row's message is recognised. */
  marks(row: RowOf<K>, guildId: string): readonly string[];
  /** Those texts of a message; none if the message is of another kind. */
  marksOf(message: Pick<PostedMessage, "marks" | "orderIds">): readonly string[];
  /** What else is recorded when the row is posted. The row itself is always removed. */
  afterPosted?(
    row: RowOf<K>,
    message: PostedRecord,
    orders: Orders,
    planning: Planning & { readonly outbox: Outbox },
  ): Change;
}

/** Any kind, for code that treats all kinds alike. */
export type AnyKind = MessageKind<MessageRowKind>;

/** The kind of a row. */
export function kindOf(row: MessageRow, kinds: Kinds): AnyKind;
export function kindOf(row: OutboxRow, kinds: Kinds): RowKind<Kind>;
export function kindOf(row: OutboxRow, kinds: Kinds): unknown {
  return kinds[row.kind];
}

/** The status in which this row's last attempt in a channel shows its order, by the order's id. Empty if it is unknown. */
export function statusShown(row: MessageRow, channelId: string, kind: AnyKind): readonly [string, string][] {
  const attempt = row.attempts.findLast((one) => one.channelId === channelId);
  const status = attempt?.shown[attempt.members.indexOf(keyOf(row))];
  const [orderId] = kind.orderIds(row);
  return status === undefined || orderId === undefined ? [] : [[orderId, status]];
}
