import { BoundedMap } from "../basics/limits/bounded-map.ts";
import { Capabilities } from "./capabilities.ts";
import { StoreQueue } from "./store-queue.ts";

/**
 * Maximum number of queues: twice the servers of one gateway connection (2,500). An idle queue takes 2.8 kB (measured). If a
 * token gets a new queue, it starts with a full budget, and its next pause is a first one.
 */
const mostQueues = 5_000;
/** Maximum number of tokens with observed capabilities: as many as the servers that one worker may poll. */
const mostCapabilities = 100_000;

/** Queues and observed capabilities by token, in memory. Beyond a limit, the least recently used ones are removed. */
export class Tokens {
  /** In the order of last use. */
  private readonly queues = new Map<string, StoreQueue>();
  private readonly known = new BoundedMap<string, Capabilities>(mostCapabilities);

  /** Returns the queue of a token. A queue with calls is never removed, so all calls of a token share it. */
  queue(token: string): StoreQueue {
    const queue = this.queues.get(token) ?? new StoreQueue();
    this.queues.delete(token);
    for (const [other, unused] of this.queues) {
      if (this.queues.size < mostQueues) break;
      if (unused.isIdle()) this.queues.delete(other);
    }
    this.queues.set(token, queue);
    return queue;
  }

  capabilities(token: string): Capabilities {
    const known = this.known.get(token) ?? new Capabilities();
    this.known.set(token, known);
    return known;
  }
}
