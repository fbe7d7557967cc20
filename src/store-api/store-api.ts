import type { Dispatcher } from "undici";
import { BoundedMap } from "../basics/limits/bounded-map.ts";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { OrderParams } from "../basics/order-params.ts";
import { Capabilities } from "./capabilities.ts";
import { createHttpClient } from "./http-client.ts";
import { createStore, type Store } from "./store.ts";
import { type Priority, StoreQueue } from "./store-queue.ts";
import { StoreRequests } from "./store-requests.ts";
import { longestCallMs } from "./time-limits.ts";

export type { OrderPage, OrderQuery, Page } from "./list-pages.ts";
export type { Store } from "./store.ts";
export { isUnusable, StoreError } from "./store-error.ts";

export type StoreApi = ReturnType<typeof createStoreApi>;

/** At most this many tokens have a queue and capabilities in memory, 1.2 kB each (measured). */
const mostTokens = 100_000;

export interface StoreApiDeps {
  /** The address that the API's document calls `{base_url}`. It has no `/open-api` at its end, and may have a path. */
  readonly baseUrl: string;
  readonly orderParams: OrderParams;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics?: Metrics;
  /** See `RequestDeps` in store-requests.ts. */
  readonly longestMs?: Readonly<Record<Priority, number>>;
  readonly retryBaseMs?: number;
  /** See `createHttpClient`. */
  readonly roomBytes?: number;
  readonly dispatcher?: Dispatcher | undefined;
}

/** A client at one base URL, for any number of tokens. Sends nothing before the first call. */
export function createStoreApi(deps: StoreApiDeps) {
  const { baseUrl, orderParams, log, dispatcher, roomBytes } = deps;
  const { metrics = noMetrics, longestMs = longestCallMs, retryBaseMs = 500 } = deps;
  const client = createHttpClient(baseUrl, dispatcher, roomBytes);
  const requests = new StoreRequests({ client, log, metrics, longestMs, retryBaseMs });
  const shared = new BoundedMap<string, { queue: StoreQueue; capabilities: Capabilities }>(mostTokens);
  return {
    /**
     * All clients of a token share the token's queue and observed capabilities.
     *
     * @param priority `interactive` if a person waits: these requests go first. `longestCallMs` has the time limits
     * @param person the person who waits. If 20 calls of this person wait in the queue, a further call fails
     */
    forToken(token: string, priority: Priority, person?: string): Store {
      const { queue, capabilities } = shared.get(token) ?? {
        queue: new StoreQueue(),
        capabilities: new Capabilities(),
      };
      shared.set(token, { queue, capabilities });
      return createStore({ requests, capabilities, orderParams, log }, { token, queue, priority, person });
    },
    /**
     * Calls under way and later calls fail. The error is `ambiguous` for a creation that may have arrived. For any other call
     * it is `unavailable`, or the error of the call's last attempt.
     */
    async close(): Promise<void> {
      requests.close();
      await client.close();
    },
  };
}
