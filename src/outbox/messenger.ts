import type { MessagePatch, MessagePayload, PostPayload } from "../views/parts/payload.ts";

/** Why Discord did not take a message, told apart once, at the edge. */
export type MessengerFailure =
  | "channel_gone" // 404, the channel is not in a server of this bot, or the message is not this bot's
  | "forbidden" // 403: a permission is missing
  | "refused" // 400: this payload will never be taken
  | "uncertain"; // no clear answer: it may or may not have been posted

/** Thrown by every method of {@link Messenger}; what was called off throws a {@link CalledOffError}. */
export class MessengerError extends Error {
  readonly code: MessengerFailure;
  /** Milliseconds for which Discord wants no further request of this kind: 0 when it does not say, and 5 minutes at most. */
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

/** When a send ends before its answer, and what it answers. */
export interface SendOptions {
  /** Once it is aborted nothing goes out any more, and the send ends as `uncertain` at once. */
  readonly signal?: AbortSignal | undefined;
  /** Once it is aborted nothing begins to leave any more: what waits ends with a {@link CalledOffError}. What has left is waited for. */
  readonly stop?: AbortSignal | undefined;
  /** The message that it answers; where that is gone it stands alone. */
  readonly replyTo?: string | undefined;
}

/** A message of this bot as the channel shows it. */
export interface PostedMessage {
  readonly id: string;
  readonly channelId: string;
  /** Custom ids of its components, and the hidden marks of its text. */
  readonly marks: readonly string[];
  /** What its custom ids and menus name, or, without any, its footer: the ids of its orders. */
  readonly orderIds: readonly string[];
  /** Components V2, as 0.1.0 posted it: it can only be edited as such. */
  readonly isV2: boolean;
}

/** What alerts need of Discord. Implemented in `discord/` over REST. */
export interface Messenger {
  /** Posts once per nonce (25 characters at most) within a few minutes, however often it is called. */
  send(channelId: string, payload: PostPayload, nonce: string, options?: SendOptions): Promise<{ readonly id: string }>;
  /** Never waits for longer than 2 s for a rate limit. */
  edit(
    channelId: string,
    messageId: string,
    payload: PostPayload | MessagePayload | MessagePatch,
    signal?: AbortSignal,
  ): Promise<void>;
  /** One message of this bot, as it stands; undefined for anybody else's. */
  read(channelId: string, messageId: string): Promise<(PostedMessage & { readonly content: string }) | undefined>;
  /**
   * This bot's own messages in the channel since `since` (epoch ms), newest first, and at least the newest 100 of the channel
   * looked through.
   */
  own(channelId: string, since: number): Promise<readonly PostedMessage[]>;
  /** A direct message to the server's owner; `make` gets the server's name. */
  tellOwner(guildId: string, make: (serverName: string) => PostPayload, nonce: string): Promise<void>;
}
