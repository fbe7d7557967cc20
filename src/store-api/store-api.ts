import type { Dispatcher } from "undici";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { OrderParams } from "../basics/order-params.ts";
import { createHttpClient } from "./http-client.ts";
import { createStore, type Store } from "./store.ts";
import type { Priority } from "./store-queue.ts";
import { StoreRequests } from "./store-requests.ts";
import { longestCallMs } from "./time-limits.ts";
import { Tokens } from "./tokens.ts";

export { ignoredFilters } from "./capabilities.ts";
export type { OrderPage, OrderQuery, Page } from "./list-pages.ts";
export type { Store } from "./store.ts";
export { StoreError } from "./store-error.ts";

export type StoreApi = ReturnType<typeof createStoreApi>;

export interface StoreApiDeps {
  /** The address that the API's document calls `{base_url}`, without `/open-api`. It may have a path. */
  readonly baseUrl: string;
  readonly orderParams: OrderParams;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics?: Metrics;
  /** As in `StoreRequests`. */
  readonly longestMs?: Readonly<Record<Priority, number>>;
  readonly retryBaseMs?: number;
  /** As in `createHttpClient`. */
  readonly roomBytes?: number;
  readonly dispatcher?: Dispatcher | undefined;
}

/** Creates a client of the Store Open API at one base URL, for any number of tokens. Sends nothing before the first call. */
export function createStoreApi(deps: StoreApiDeps) {
  const { baseUrl, orderParams, log, dispatcher, roomBytes } = deps;
  const { metrics = noMetrics, longestMs = longestCallMs, retryBaseMs = 500 } = deps;
  const client = createHttpClient(baseUrl, dispatcher, roomBytes);
  const tokens = new Tokens();
  const requests = new StoreRequests({ client, tokens, log, metrics, longestMs, retryBaseMs });
  return {
    /**
     * Returns a client for one token. All clients of a token share the token's queue and observed capabilities.
     *
     * @param priority `interactive`: a person waits, so these requests go first. `longestCallMs` has the time limit of a call
     * for each priority
     * @param person the person who waits for the answers. If 20 calls of the person wait in the queue, a further call fails
     */
    forToken: (token: string, priority: Priority, person?: string): Store =>
      createStore({ requests, tokens, orderParams, log }, { token, priority, person }),
    /**
     * Closes every connection at once. Calls under way and later calls fail. The error is `ambiguous` for a creation that may
     * have arrived. For any other call it is `unavailable`, or the error of the call's last attempt.
     */
    async close(): Promise<void> {
      requests.close();
      await client.close();
    },
  };
}
