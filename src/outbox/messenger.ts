import { hash } from "node:crypto";
import type { MessagePatch, MessagePayload, PostPayload } from "../views/parts/payload.ts";

/** Why Discord did not take a message. rest-messenger.ts decides it. */
export type MessengerFailure =
  | "channel_gone" // 404; or the channel is not in a server of this bot, or the message is not by this bot
  | "forbidden" // 403: a permission is missing
  | "refused" // 400: Discord will never take this payload
  | "uncertain"; // no clear answer: it may or may not have been posted

/** Thrown by every method of {@link Messenger}. A send that is called off throws a {@link CalledOffError} instead. */
export class MessengerError extends Error {
  readonly code: MessengerFailure;
  /** How long Discord wants no request of this kind, in ms: at most 5 minutes, or 0 if Discord names no time. */
  readonly retryAfterMs: number;

  constructor(code: MessengerFailure, cause?: unknown, retryAfterMs = 0) {
    super(`message not delivered: ${code}`, { cause });
    this.name = "MessengerError";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The send ended before its request began, so the message certainly was not posted. */
export class CalledOffError extends Error {
  constructor() {
    super("the message was called off");
    this.name = "CalledOffError";
  }
}

/** Signals that end a send early, and the message to reply to. */
export interface SendOptions {
  /** When this signal is aborted, the send ends at once with the code `uncertain`, and no further request begins. */
  readonly signal?: AbortSignal | undefined;
  /**
   * When this signal is aborted, a send that still waits ends with a {@link CalledOffError}. A request that has begun goes on.
   */
  readonly stop?: AbortSignal | undefined;
  /** The message to reply to. If it was deleted, the send fails with the code `refused`. */
  readonly replyTo?: string | undefined;
}

/** A message of this bot, as Discord returns it. */
export interface PostedMessage {
  readonly id: string;
  /** Marks, by which the bot recognises its own message: the custom ids of its components, and the invisible text in it. */
  readonly marks: readonly string[];
  /** Ids of the orders in the message, read from its custom ids and menus. If it has neither, they are read from its footer. */
  readonly orderIds: readonly string[];
  /** Whether the message uses Components V2, as version 0.1.0 did. Such a message cannot become a classic one. */
  readonly isV2: boolean;
}

/** What alerts need from Discord. `discord/rest/` implements it. */
export interface Messenger {
  /**
   * Posts a message. Within a few minutes, a repeat with the same nonce (at most 25 characters) posts nothing and returns the
   * same id.
   */
  send(channelId: string, payload: PostPayload, nonce: string, options?: SendOptions): Promise<{ readonly id: string }>;
  /** Edits a message. Waits at most 2 s for a rate limit. */
  edit(
    channelId: string,
    messageId: string,
    payload: PostPayload | MessagePayload | MessagePatch,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Returns one message of this bot, or undefined if another person or bot wrote the message. */
  read(channelId: string, messageId: string): Promise<(PostedMessage & { readonly content: string }) | undefined>;
  /**
   * Returns this bot's messages in the channel, newest first: all since `since` (epoch ms), and perhaps some older ones. Looks
   * at the newest 5,000 messages of the channel, and no further.
   */
  postedSince(channelId: string, since: number): Promise<readonly PostedMessage[]>;
  /** Sends a direct message to the server's owner. `make` gets the server's name. */
  tellOwner(guildId: string, make: (serverName: string) => PostPayload, nonce: string): Promise<void>;
}

/**
 * Returns the nonce of a message, with 25 characters, Discord's maximum. The same arguments always give the same nonce. For a
 * few minutes, Discord does not post a second message with the same nonce. Later, posted-before.ts finds out whether the
 * message was posted.
 */
export function nonceFor(guildId: string, channelId: string, what: readonly string[]): string {
  return hash("sha256", [guildId, channelId, ...what].join("\n"), "base64url").slice(0, 25);
}
