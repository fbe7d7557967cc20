import { createKeyedMutex } from "../basics/limits/mutex.ts";

/** Least time between the starts of two edits of one message. */
const betweenEditsMs = 1_000;

/**
 * Runs `edit` after earlier edits of the same message. Skips `edit` if a later edit waits, because that edit shows a newer
 * state. Rejects with the error of `edit`.
 */
export type EditThrottle = (messageId: string, edit: () => Promise<void>) => Promise<void>;

export function createEditThrottle(): EditThrottle {
  const newest = new Map<string, () => Promise<void>>();
  const inTurn = createKeyedMutex();
  return (messageId, edit) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    newest.set(messageId, edit);
    void inTurn(messageId, async () => {
      if (newest.get(messageId) !== edit) return resolve();
      newest.delete(messageId);
      const pause = new Promise((over) => setTimeout(over, betweenEditsMs).unref());
      await edit().then(resolve, reject);
      await pause;
    });
    return promise;
  };
}
