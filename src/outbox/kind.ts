import type { Guild } from "../guilds/guild.ts";
import type { Change, Orders, Outbox } from "../orders/ledger.ts";
import { type Kind, keyOf, type OutboxRow, type RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan-messages.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import type { ChannelHealth, Lane } from "./channel-health.ts";
import type { ServerContext } from "./context.ts";
import type { Destination } from "./destination.ts";
import type { PostedMessage } from "./messenger.ts";
import type { RowMemory } from "./row-memory.ts";

type MessageRowKind = Exclude<Kind, "edit">;
/** A row of the outbox that is posted in a new message. An edit only changes a posted message. */
export type MessageRow = RowOf<MessageRowKind>;
export type Kinds = { readonly [K in MessageRowKind]: MessageKind<K> } & { readonly edit: RowKind<"edit"> };

/**
 * The state that the parts of the sender of one server (sender.ts) share: which channels fail (`channels`), how each kind of
 * message is made (`kinds`), and what this process learned about rows (`memory`).
 */
export interface SenderState {
  readonly server: ServerContext;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly memory: RowMemory;
}

/** The lane, channel and settings for a batch of rows. The messages of these rows are searched for or posted. */
export interface Scope {
  readonly lane: Lane;
  readonly target: Destination;
  readonly guild: Guild;
  readonly planning: Planning;
  /** Aborted when the server's record changes. No send that uses the old record begins after that. */
  readonly stop: AbortSignal;
}

/** Input of `render` besides the rows: the settings, where and how the message is sent, and the orders that it shows. */
export interface Scene {
  readonly guild: Guild;
  /** The orders of the rows. Each has the status that the message shows, which may be older than the current status. */
  readonly orders: Orders;
  readonly target: Destination;
  /** Whether the message is sent as a reply to the alert. Discord then shows the alert above the message. */
  readonly isReply: boolean;
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
}

/**
 * How the sender works on rows of one kind: in which lane (see `Lane` in channel-health.ts) and channel, and in which sequence.
 */
export interface RowKind<K extends Kind> {
  readonly lane: Lane;
  /** Of rows that failed equally often, the row with the lowest rank is sent first. By default 0. */
  readonly rank?: number;
  /** Returns the destination of the row, or undefined if the row is no longer wanted. */
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Destination | undefined;
  /** Milliseconds until the row is due. Infinite while another row of the outbox has to be posted before this one. */
  dueInMs?(row: RowOf<K>, planning: Planning, outbox: Outbox): number;
}

/**
 * Everything that differs between the kinds of messages. Each kind is a file in kinds/. "Marks" are texts in a message by which
 * the bot recognises it: custom ids, ids of orders, and invisible text.
 */
export interface MessageKind<K extends MessageRowKind> extends RowKind<K> {
  readonly logText: string;
  /** Returns the ids of the orders whose own rows (order-row.ts) the kind reads or changes. Empty if there are none. */
  orderIds(row: RowOf<K>): readonly string[];
  /**
   * Returns the maximum number of rows in one message. By default each row gets its own message. rows-of-message.ts decides how
   * many rows go into the next message.
   */
  most?(row: RowOf<K>, guild: Guild): number;
  /** Returns a group name. Rows of one channel may share a message only if their group names are equal. */
  groupOf?(row: RowOf<K>): string;
  /**
   * Called right before the send. Returns the row with what is still to be posted, or undefined if nothing is. Throws
   * `StoreError`.
   *
   * @param stop aborted when the server's record changes
   */
  wanted?(row: RowOf<K>, guild: Guild, orders: Orders, stop: AbortSignal): Promise<RowOf<K> | undefined>;
  /** @param isBare leaves out texts that other people wrote. Discord may refuse a message for such a text */
  render(rows: readonly RowOf<K>[], scene: Scene, isBare: boolean): PostPayload | Promise<PostPayload>;
  /**
   * Returns the start of the search (epoch ms) for a row whose message may have been posted since `inDoubtSince`. By default
   * the search starts at `inDoubtSince`.
   */
  searchSince?(row: RowOf<K>, inDoubtSince: number, orders: Orders): number;
  marks(row: RowOf<K>, guildId: string): readonly string[];
  /** Returns the marks of a message, to compare them with `marks`. Empty if the message is certainly of another kind. */
  marksOf(message: Pick<PostedMessage, "marks" | "orderIds">): readonly string[];
  /** Returns the changes to record after the message was posted, besides the removal of the row. */
  afterPosted?(
    row: RowOf<K>,
    message: PostedRecord,
    orders: Orders,
    planning: Planning & { readonly outbox: Outbox },
  ): Change;
  /** Counts a row for the metrics, after its message was recorded. `isSent` is false if a search found the message. */
  count?(row: RowOf<K>, orders: Orders, isSent: boolean): void;
}

/** Type for code that treats all kinds of messages alike. */
export type AnyKind = MessageKind<MessageRowKind>;

export function kindOf(row: MessageRow, kinds: Kinds): AnyKind;
export function kindOf(row: OutboxRow, kinds: Kinds): RowKind<Kind>;
export function kindOf(row: OutboxRow, kinds: Kinds): unknown {
  return kinds[row.kind];
}

/**
 * Returns a list of one pair: the id of the row's order, and the status that the message in the channel shows. This is the
 * order's status at the last attempt in the channel. If the status is unknown, the list is empty.
 */
export function statusShown(row: MessageRow, channelId: string, kind: AnyKind): readonly [string, string][] {
  const attempt = row.attempts.findLast((one) => one.channelId === channelId);
  const status = attempt?.shown[attempt.members.indexOf(keyOf(row))];
  const [orderId] = kind.orderIds(row);
  return status === undefined || orderId === undefined ? [] : [[orderId, status]];
}
