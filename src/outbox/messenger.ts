import { hash } from "node:crypto";
import type { MessagePatch, MessagePayload, PostPayload } from "../views/parts/payload.ts";

export type MessengerFailure =
  | "channel_gone" // 404; or the channel is not in a server of this bot, or the message is not by this bot
  | "forbidden" // 403: a permission is missing
  | "refused" // 400: Discord will never take this payload
  | "uncertain"; // no clear answer: it may or may not have been posted

/** Thrown by every method of {@link Messenger}. */
export class MessengerError extends Error {
  readonly code: MessengerFailure;
  /** The wait that Discord asks for (ms), at most 5 minutes. 0 if it asks for no wait, or for more than an hour. */
  readonly retryAfterMs: number;

  constructor(code: MessengerFailure, cause?: unknown, retryAfterMs = 0) {
    super(`message not delivered: ${code}`, { cause });
    this.name = "MessengerError";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface SendOptions {
  /** Ends the send at once with the code `uncertain`. */
  readonly signal?: AbortSignal | undefined;
  /** Ends a send that waits. A request that has begun goes on. */
  readonly stop?: AbortSignal | undefined;
  /** The id of the message to reply to. If that message was deleted, the send fails with the code `refused`. */
  readonly replyTo?: string | undefined;
}

export interface PostedMessage {
  readonly id: string;
  /** The custom ids and the invisible text in the message. */
  readonly marks: readonly string[];
  /** Read from the message's custom ids and menus. If it has neither, from its footer. */
  readonly orderIds: readonly string[];
  /** False for a message in Components V2, as version 0.1.0 posted. Such a message cannot become a classic one. */
  readonly isClassic: boolean;
}

export interface Messenger {
  /**
   * Within a few minutes, a second send with the same nonce posts nothing, and returns the same id. Undefined if `stop` ended
   * the send; then certainly nothing was posted.
   */
  send(
    channelId: string,
    payload: PostPayload,
    nonce: string,
    options?: SendOptions,
  ): Promise<{ readonly id: string } | undefined>;
  /** Waits at most 2 s for a rate limit. */
  edit(
    channelId: string,
    messageId: string,
    payload: PostPayload | MessagePayload | MessagePatch,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Undefined if another person or bot wrote the message. */
  read(
    channelId: string,
    messageId: string,
  ): Promise<(PostedMessage & { readonly content: string; readonly hasEmbed: boolean }) | undefined>;
  /**
   * This bot's messages, newest first: all since `since` (epoch ms), and perhaps some older ones. Looks only at the newest
   * 5,000 messages of the channel.
   */
  postedSince(channelId: string, since: number): Promise<readonly PostedMessage[]>;
  tellOwner(guildId: string, make: (serverName: string) => PostPayload, nonce: string): Promise<void>;
}

/** A nonce for {@link Messenger.send}: 25 characters, Discord's maximum. */
export function nonceFor(guildId: string, channelId: string, what: readonly string[]): string {
  return hash("sha256", [guildId, channelId, ...what].join("\n"), "base64url").slice(0, 25);
}
