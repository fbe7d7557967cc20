import { BoundedMap } from "../basics/bounded-map.ts";
import { createCapabilities, type ObservedCapabilities } from "./capabilities.ts";
import { createStoreQueue, type StoreQueue } from "./store-queue.ts";

/** The queue of one token. */
export interface TokenQueue {
  readonly queue: StoreQueue;
  /** Calls under way. */
  calls: number;
}

/** What is kept of all tokens, in memory. */
export interface Tokens {
  /** The queue of a token: the same one for as long as it is in use. */
  queue(token: string): TokenQueue;
  /** What a token's API was seen to support. */
  capabilities(token: string): ObservedCapabilities;
}

/**
 * Twice the servers that one connection to Discord's gateway holds (2,500). An idle queue takes 2.8 kB (measured). A new one is
 * as good, but for what was asked and refused lately.
 */
const mostQueues = 5_000;
/** Every server that a worker may meet: 63 MB when all is known of all of them, with their tokens (measured). */
const mostCapabilities = 100_000;

/** Every bound is one of entries; of more, those that were not used for longest go. */
export function createTokens(most = { queues: mostQueues, capabilities: mostCapabilities }): Tokens {
  // Both in the sequence of their last use.
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
