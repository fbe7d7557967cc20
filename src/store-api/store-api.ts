import type { Dispatcher } from "undici";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import { createMutex } from "../basics/mutex.ts";
import type { OrderParams } from "../basics/order-params.ts";
import { createHttpClient, type PhaseTimeouts } from "./http-client.ts";
import { createRequest } from "./request.ts";
import { createStore, type Store } from "./store.ts";
import type { Priority } from "./store-queue.ts";
import { createTokens } from "./tokens.ts";

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
   *   `background`: 30 s
   * @param person the person who waits for the answers: people of one token take turns
   */
  forToken(token: string, priority: Priority, person?: string): Store;
  /**
   * Closes every connection at once. Calls under way fail: a read as `unavailable` or with the error of its last attempt, a
   * creation as `ambiguous` if it may have arrived. Later calls are `unavailable`.
   */
  close(): Promise<void>;
}

/** Timeouts in milliseconds: of the parts of an exchange, and of a whole call for each priority. */
interface Timeouts extends PhaseTimeouts {
  readonly interactiveMs: number;
  readonly backgroundMs: number;
}

export interface StoreApiDeps {
  /**
   * The address that the API's document calls `{base_url}`, without `/open-api`. A path prefix and a trailing slash are
   * fine.
   */
  readonly baseUrl: string;
  readonly orderParams: OrderParams;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics?: Metrics;
  /** Random numbers between 0 and 1, for the jitter of retries. */
  readonly random?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** Longest first backoff, in milliseconds. */
  readonly retryBaseMs?: number;
  /** Memory for all large answers under way together; 256 MiB by default. */
  readonly roomBytes?: number;
  /** Sends the requests, and is destroyed with the client; by default undici connections of its own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * Longest duration of a call for a person, who stops waiting after about this time. A slow store has two attempts to
 * connect within it.
 */
export const interactiveMs = 12_000;
const defaultTimeouts: Timeouts = {
  connectMs: 5_000,
  headersMs: 20_000,
  bodyMs: 20_000,
  interactiveMs: interactiveMs,
  backgroundMs: 30_000,
};
const defaultRetryBaseMs = 500;

/** Creates a client of the Store Open API. Sends nothing before the first call. */
export function createStoreApi(deps: StoreApiDeps): StoreApi {
  const { baseUrl, orderParams, log, random = Math.random, retryBaseMs = defaultRetryBaseMs, roomBytes } = deps;
  const { metrics = noMetrics } = deps;
  const timeouts = { ...defaultTimeouts, ...deps.timeouts };
  const longestMs = { interactive: timeouts.interactiveMs, background: timeouts.backgroundMs };
  const client = createHttpClient(baseUrl, timeouts, roomBytes, deps.dispatcher);
  const tokens = createTokens();
  const http = createRequest({
    client,
    tokens,
    largeAnswers: createMutex(),
    log,
    metrics,
    random,
    longestMs,
    retryBaseMs,
  });
  return {
    forToken: (token, priority, person) => createStore({ http, tokens, orderParams, log }, { token, priority, person }),
    async close() {
      http.close();
      await client.close();
    },
  };
}
