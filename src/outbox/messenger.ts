import type { MessagePatch, MessagePayload, PostPayload } from "../views/parts/payload.ts";

/** Why Discord did not take a message. */
export type MessengerFailure =
  | "channel_gone" // 404; or the channel is not in a server of this bot, or the message is not by this bot
  | "forbidden" // 403: a permission is missing
  | "refused" // 400: Discord will never take this payload
  | "uncertain"; // no clear answer: it may or may not have been posted

/** Thrown by every method of {@link Messenger}. A send that was called off throws a {@link CalledOffError}. */
export class MessengerError extends Error {
  readonly code: MessengerFailure;
  /** Milliseconds for which Discord wants no such request: 0 if Discord gives no time, at most 5 minutes. */
  readonly retryAfterMs: number;

  constructor(code: MessengerFailure, cause?: unknown, retryAfterMs = 0) {
    super(`message not delivered: ${code}`, { cause });
    this.name = "MessengerError";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A send was called off before it left: it certainly was not posted. */
export class CalledOffError extends Error {
  constructor() {
    super("the message was called off");
    this.name = "CalledOffError";
  }
}

/** When a send ends before Discord answers, and the message that it replies to. */
export interface SendOptions {
  /** When it is aborted, the send ends as `uncertain` at once, and no request begins. */
  readonly signal?: AbortSignal | undefined;
  /** When it is aborted, a send that waits ends with a {@link CalledOffError}. A request that has begun goes on. */
  readonly stop?: AbortSignal | undefined;
  /** The message to reply to. If that message is gone, the new one is no reply. */
  readonly replyTo?: string | undefined;
}

/** A message of this bot, as Discord returns it. */
export interface PostedMessage {
  readonly id: string;
  /** Custom ids of its components, and the hidden marks of its text. */
  readonly marks: readonly string[];
  /** Ids of its orders: from its custom ids and menus, or from its footer if it has none of them. */
  readonly orderIds: readonly string[];
  /** Whether it uses Components V2, as 0.1.0 did. Such a message cannot become a classic one. */
  readonly isV2: boolean;
}

/** What alerts need from Discord. Implemented in `discord/rest/`. */
export interface Messenger {
  /** Posts a message. A repeat with the same nonce (at most 25 characters) within a few minutes posts nothing and returns the same id. */
  send(channelId: string, payload: PostPayload, nonce: string, options?: SendOptions): Promise<{ readonly id: string }>;
  /** Waits at most 2 s for a rate limit. */
  edit(
    channelId: string,
    messageId: string,
    payload: PostPayload | MessagePayload | MessagePatch,
    signal?: AbortSignal,
  ): Promise<void>;
  /** One message of this bot; undefined if another person or bot wrote it. */
  read(channelId: string, messageId: string): Promise<(PostedMessage & { readonly content: string }) | undefined>;
  /**
   * This bot's messages in the channel, newest first: those since `since` (epoch ms), and those among the newest 100 messages of
   * the channel.
   */
  own(channelId: string, since: number): Promise<readonly PostedMessage[]>;
  /** Sends a direct message to the server's owner; `make` gets the server's name. */
  tellOwner(guildId: string, make: (serverName: string) => PostPayload, nonce: string): Promise<void>;
}
