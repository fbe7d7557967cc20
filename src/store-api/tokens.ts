import { BoundedMap } from "../basics/bounded-map.ts";
import { createCapabilities, type ObservedCapabilities } from "./capabilities.ts";
import { createStoreQueue, type StoreQueue } from "./store-queue.ts";

/** The queue of one token. */
export interface TokenQueue {
  readonly queue: StoreQueue;
  /** Calls under way. */
  calls: number;
}

/** Queues and observed capabilities by token, in memory. */
export interface Tokens {
  /** Returns the queue of a token: the same one for all calls, until it is unused and dropped. */
  queue(token: string): TokenQueue;
  /** The observed capabilities of a token's API. */
  capabilities(token: string): ObservedCapabilities;
}

/**
 * Maximum number of queues: twice the servers of one gateway connection (2,500). An idle queue takes 2.8 kB (measured).
 * If a queue is dropped and made again, it only does not know the recent requests and refusals.
 */
const mostQueues = 5_000;
/**
 * Maximum number of tokens with observed capabilities: all servers that a worker may poll. They take 63 MB if
 * everything is known of all of them (measured). Queues have a lower limit, because they take far more memory.
 */
const mostCapabilities = 100_000;

/** Makes the memory of all tokens. Its size is limited; the least recently used entries go first. */
export function createTokens(most = { queues: mostQueues, capabilities: mostCapabilities }): Tokens {
  // Both maps are in the order of last use.
  const queues = new Map<string, TokenQueue>();
  const capabilities = new BoundedMap<string, ObservedCapabilities>(most.capabilities);

  function makeRoomFor(newest: string): void {
    for (const [token, { calls, queue }] of queues) {
      if (queues.size <= most.queues || token === newest) return;
      if (calls === 0 && queue.pausedMs() === 0) queues.delete(token);
    }
  }

  return {
    queue(token) {
      const known = queues.get(token);
      const state = known ?? { queue: createStoreQueue(), calls: 0 };
      queues.delete(token);
      queues.set(token, state);
      if (known === undefined) makeRoomFor(token);
      return state;
    },
    capabilities(token) {
      const known = capabilities.get(token) ?? createCapabilities();
      capabilities.set(token, known);
      return known;
    },
  };
}
