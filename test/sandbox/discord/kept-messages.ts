import type { Bus } from "./bus.ts";
import type { StoredMessage } from "./model.ts";
import { timeOf } from "./snowflake.ts";

/** All messages by channel, oldest first, and who is told of what happens to them. */
export function createKeptMessages(bus: Bus) {
  const messages = new Map<string, StoredMessage[]>();

  return {
    messages,

    keep(stored: StoredMessage): StoredMessage {
      const list = messages.get(stored.channelId) ?? [];
      list.push(stored);
      messages.set(stored.channelId, list);
      bus.emit("message", stored);
      return stored;
    },

    /** Forgets those that were sent before, as if they had never been there. */
    forgetMessages(before: number): void {
      for (const [channelId, list] of messages) {
        messages.set(
          channelId,
          list.filter(({ message }) => timeOf(message.id) >= before),
        );
      }
    },

    announce(what: "edit" | "delete", stored: StoredMessage): void {
      bus.emit(what, stored);
    },

    /** A message that is there, by id, ephemeral or not. */
    message(channelId: string, id: string): StoredMessage | undefined {
      return messages.get(channelId)?.findLast(({ message, deleted }) => message.id === id && !deleted);
    },

    /** What everybody in a channel sees, oldest first. */
    publicMessages(channelId: string): StoredMessage[] {
      return (messages.get(channelId) ?? []).filter(
        ({ deleted, ephemeralFor }) => !deleted && ephemeralFor === undefined,
      );
    },
  };
}
