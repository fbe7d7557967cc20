import type { Guild } from "../guilds/guild.ts";
import type { Change, Orders, Outbox } from "../orders/ledger.ts";
import type { Kind, RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import type { ChannelHealth, Lane, Target } from "./channel-health.ts";
import type { PostedMessage } from "./messenger.ts";

/** Discord takes 5 messages in 5 s per channel. */
export const mostSingles = 5;

/** Where and of what a message is made. */
export interface Scene {
  readonly guild: Guild;
  /** The orders that its rows name, in the statuses in which it is to show them. */
  readonly orders: Orders;
  readonly target: Target;
}

/** A message that stands in a channel. */
export interface StandingMessage {
  readonly channelId: string;
  readonly messageId: string;
  readonly isClassic: boolean;
  /** Ids of all orders in it, in its order. */
  readonly members: readonly string[];
  /** The statuses in which it shows them, by their ids, where that is known. */
  readonly shown: ReadonlyMap<string, string>;
  /** Where it was found: from when on (epoch ms) it, and what followed it, may have been sent. */
  readonly since?: number;
}

/** What is recorded of a message depends on this. */
export interface Settling extends Planning {
  readonly outbox: Outbox;
}

/** All that is special to one kind of message. */
export interface MessageKind<K extends Exclude<Kind, "edit">> {
  readonly lane: Lane;
  /** What the log says of a message that was sent. */
  readonly posted: string;
  /** Of what may be sent in a channel and failed as often, the lower rank comes first. */
  readonly rank: number;
  /** Ids of the orders that it is about. */
  orderIds(row: RowOf<K>): readonly string[];
  /** Where it goes; undefined where it is not wanted any more. */
  target(row: RowOf<K>, guild: Guild, channels: ChannelHealth): Target | undefined;
  /** Rows of one channel with the same text here may share a message. */
  together(row: RowOf<K>): string;
  /** So many rows of one channel are sent singly; more than that share messages. */
  readonly singles: number;
  /** Rows of one message. */
  most(row: RowOf<K>, guild: Guild): number;
  /** Whether something else has to be sent before it. */
  isEarly?(row: RowOf<K>, outbox: Outbox, guild: Guild): boolean;
  /** Milliseconds until it is due. */
  dueInMs?(row: RowOf<K>): number;
  /** What of it is to be sent, asked right before: undefined where all has become needless. Throws `StoreError`. */
  wanted?(row: RowOf<K>, guild: Guild, orders: Orders): Promise<RowOf<K> | undefined>;
  /** @param isBare without what others wrote */
  render(rows: readonly RowOf<K>[], scene: Scene, isBare: boolean): PostPayload | Promise<PostPayload>;
  /** The message that it answers. */
  replyTo?(row: RowOf<K>, channelId: string): string | undefined;
  /** Channels in which it may stand besides its own and those of its attempts. */
  others(row: RowOf<K>, guild: Guild): readonly string[];
  /** From when on (epoch ms) to look for what may have been sent since `since`. */
  begin?(row: RowOf<K>, since: number, orders: Orders): number;
  /** By which texts a row's message is known, and by which of them a message is; none where it is of another kind. */
  marks(row: RowOf<K>, guildId: string): readonly string[];
  marksOf(message: Pick<PostedMessage, "marks" | "orderIds">): readonly string[];
  /** What is recorded once it stands in a channel; its rows go in any case. */
  settled?(row: RowOf<K>, at: StandingMessage, orders: Orders, by: Settling): Change;
}

/** Any kind, for what treats all alike. */
export type AnyKind = MessageKind<Exclude<Kind, "edit">>;
