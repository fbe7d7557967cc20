import { createKeyedMutex } from "../basics/mutex.ts";

/** A message is edited no more often than this, however often people press its buttons. */
const betweenEditsMs = 1_000;

/** Edits a message when its turn comes, unless a later press will: that shows the same, and more. Rejects as `edit` does. */
export type EditThrottle = (messageId: string, edit: () => Promise<void>) => Promise<void>;

/** One edit of a message at a time, and one a second; what is kept of a message is over a second after its last one. */
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
