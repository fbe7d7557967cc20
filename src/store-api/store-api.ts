import type { Dispatcher } from "undici";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { OrderParams } from "../basics/order-params.ts";
import { createHttpClient } from "./http-client.ts";
import { createStore, type Store } from "./store.ts";
import type { Priority } from "./store-queue.ts";
import { StoreRequests } from "./store-requests.ts";
import { Tokens } from "./tokens.ts";

export { ignoredFilters } from "./capabilities.ts";
export type { OrderPage, OrderQuery, Page } from "./listing.ts";
export type { Store } from "./store.ts";
export { StoreError } from "./store-error.ts";

/** The Store Open API at one base URL, for any number of tokens. */
export interface StoreApi {
  /**
   * Returns a client for one token. All clients of a token share its queue and its observed capabilities.
   *
   * @param priority `interactive`: a person waits, so requests go first, and no call takes longer than 12 s in all;
   *   `background`: 20 s
   * @param person the person who waits for the answers; at most 20 calls of one person wait
   */
  forToken(token: string, priority: Priority, person?: string): Store;
  /**
   * Closes every connection at once. Calls under way fail: a read as `unavailable` or with the error of its last
   * attempt, a creation as `ambiguous` if it may have arrived. Later calls are `unavailable`.
   */
  close(): Promise<void>;
}

export interface StoreApiDeps {
  /** The address that the API's document calls `{base_url}`, without `/open-api`. A path prefix is fine. */
  readonly baseUrl: string;
  readonly orderParams: OrderParams;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics?: Metrics;
  /** Longest duration of a whole call, in milliseconds. */
  readonly longestMs?: Readonly<Record<Priority, number>>;
  readonly retryBaseMs?: number;
  /** Memory for all answers under way together, without the first 128 KiB of each; 256 MiB by default. */
  readonly roomBytes?: number;
  /** Sends the requests, and is destroyed with the client; by default undici connections of its own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Longest duration of a call for a person, who stops waiting after about this time. */
export const interactiveMs = 12_000;
const defaultLongestMs = { interactive: interactiveMs, background: 20_000 };

/** Creates a client of the Store Open API. Sends nothing before the first call. */
export function createStoreApi(deps: StoreApiDeps): StoreApi {
  const { baseUrl, orderParams, log, dispatcher, roomBytes } = deps;
  const { metrics = noMetrics, longestMs = defaultLongestMs, retryBaseMs = 500 } = deps;
  const client = createHttpClient(baseUrl, dispatcher, roomBytes);
  const tokens = new Tokens();
  const requests = new StoreRequests({ client, tokens, log, metrics, longestMs, retryBaseMs });
  return {
    forToken: (token, priority, person) =>
      createStore({ requests, tokens, orderParams, log }, { token, priority, person }),
    async close() {
      requests.close();
      await client.close();
    },
  };
}
