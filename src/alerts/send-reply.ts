import type { PostPayload } from "../views/payload.ts";
import { type Messenger, MessengerError } from "./messenger.ts";

/** Whether Discord said clearly that it did not take a message. */
export const isClear = (error: unknown): error is MessengerError =>
  error instanceof MessengerError && error.code !== "uncertain";

/** Sends a reply where that can be, else the message alone, and at last `bare`: without what others wrote. */
export async function sendReply(
  messenger: Pick<Messenger, "send">,
  {
    channelId,
    replyTo,
    payload,
    bare,
    nonce,
    signal,
  }: {
    readonly channelId: string;
    readonly replyTo: string | undefined;
    readonly payload: PostPayload;
    readonly bare: PostPayload;
    readonly nonce: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const attempts = [
    () => messenger.send(channelId, payload, nonce, signal, replyTo),
    // A reply takes the permission to read the history.
    () => messenger.send(channelId, payload, nonce, signal),
    () => messenger.send(channelId, bare, nonce, signal),
  ];
  for (const [index, attempt] of attempts.entries()) {
    try {
      await attempt();
      return;
    } catch (error) {
      const isLast = index === attempts.length - 1;
      if (isLast || !isClear(error) || error.code === "channel_gone") throw error;
    }
  }
}
