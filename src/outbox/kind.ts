import type { Guild } from "../guilds/guild.ts";
import type { Change, Orders, Outbox } from "../orders/ledger.ts";
import type { Kind, OutboxRow, RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan-messages.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import type { ChannelHealth, Lane } from "./channel-health.ts";
import type { Current, ServerContext } from "./context.ts";
import type { Destination } from "./destination.ts";
import type { PostedMessage } from "./messenger.ts";
import type { RowMemory } from "./row-memory.ts";

type MessageRowKind = Exclude<Kind, "edit">;
/** A row that is posted in a new message. An edit only changes a posted message. */
export type MessageRow = RowOf<MessageRowKind>;
export type Kinds = { readonly [K in MessageRowKind]: MessageKind<K> } & { readonly edit: RowKind<"edit"> };

/** Shared by the parts of one server's sender (sender.ts). */
export interface SenderState {
  readonly server: ServerContext;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly memory: RowMemory;
}

/** What is the same for all rows of a message, or of a search for messages. */
export interface Scope extends Current {
  readonly lane: Lane;
  readonly target: Destination;
  readonly planning: Planning;
}

export interface Scene {
  readonly guild: Guild;
  readonly orders: Orders;
  readonly target: Destination;
  /** The message is a reply to the alert, so Discord shows the alert above it. */
  readonly isReply: boolean;
}

export interface PostedRecord {
  readonly channelId: string;
  readonly messageId: string;
  readonly isClassic: boolean;
  /** For an alert: the ids of all orders in the message, in the sequence of the message. */
  readonly members: readonly string[];
}

export type PlanningAfterPost = Planning & { readonly outbox: Outbox };

export interface RowKind<K extends Kind> {
  readonly lane: Lane;
  /** Among rows that failed equally often, the row with the lowest rank is sent first. By default 0. */
  readonly rank?: number;
  /** Undefined if the row is no longer wanted. */
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Destination | undefined;
  /** Milliseconds until the row is due. Infinite while another row has to be posted before this one. */
  dueInMs?(row: RowOf<K>, planning: Planning, outbox: Outbox): number;
}

/**
 * What differs between the kinds of messages. "Marks" are texts in a message by which the bot recognises it: custom ids, ids of
 * orders, and invisible text.
 */
export interface MessageKind<K extends MessageRowKind> extends RowKind<K> {
  readonly logText: string;
  /** Ids of the orders whose rows (order-row.ts) the kind reads or changes. */
  orderIds(row: RowOf<K>): readonly string[];
  /** Maximum number of rows in one message. By default 1. */
  most?(row: RowOf<K>, guild: Guild): number;
  /** Rows of one channel may share a message only if their groups are equal. */
  groupOf?(row: RowOf<K>): string;
  /**
   * Called right before the send. Returns the row, perhaps with fewer orders; undefined if nothing is to be posted any more.
   * Throws `StoreError`.
   */
  wanted?(row: RowOf<K>, current: Current, orders: Orders): Promise<RowOf<K> | undefined>;
  /** @param isBare leaves out what Discord may refuse: texts that other people wrote, and files */
  render(rows: readonly RowOf<K>[], scene: Scene, isBare: boolean): PostPayload | Promise<PostPayload>;
  /** The time (epoch ms) from which the message is searched for. By default `inDoubtSince`. */
  searchSince?(row: RowOf<K>, inDoubtSince: number, orders: Orders): number;
  marks(row: RowOf<K>, guildId: string): readonly string[];
  /** The marks of a posted message, to compare with `marks`. Other kinds may have the same marks (see `findPosted`). */
  marksOf(message: Pick<PostedMessage, "marks" | "orderIds">): readonly string[];
  /** The changes to record after the post, besides the removal of the row. */
  afterPosted?(row: RowOf<K>, message: PostedRecord, orders: Orders, planning: PlanningAfterPost): Change;
  /** Counts a row for the metrics. `isSent` is false if a search found the message. */
  count?(row: RowOf<K>, orders: Orders, isSent: boolean): void;
}

export type AnyKind = MessageKind<MessageRowKind>;

export function kindOf(row: MessageRow, kinds: Kinds): AnyKind;
export function kindOf(row: OutboxRow, kinds: Kinds): RowKind<Kind>;
export function kindOf(row: OutboxRow, kinds: Kinds): unknown {
  return kinds[row.kind];
}
