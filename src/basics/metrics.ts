/**
 * The result of a poll of one server. `store_failed`: the store could not be read. `waiting`: the bot waits before it asks the
 * store again (after failures, or because too many alerts are pending). `key_lost`: no encryption key decrypts the API token.
 * `failed`: an error of the storage or of the bot.
 */
export type PollOutcome = "ok" | "waiting" | "store_failed" | "key_lost" | "failed";

/**
 * The counters that all folders use. No label is an id or comes from outside, so the number of time series does not
 * grow with the number of servers. The names, help texts and buckets for Prometheus are in `operations/prometheus.ts`.
 */
export interface Metrics {
  /** A poll of one server ended after `ms` milliseconds. */
  poll(outcome: PollOutcome, ms: number): void;
  /**
   * An order's alert was recorded as posted. `lag` is left out if a search found the alert, because then the time of posting is
   * unknown. `sinceCreatedMs` is undefined if the store gave no creation time.
   */
  alertPosted(lag?: { readonly sinceCreatedMs: number | undefined; readonly sinceSeenMs: number }): void;
  alertEdited(): void;
  /** Sets the function that counts pending alerts. The function is called each time Prometheus reads the metrics. */
  alertsOwed(count: () => number): void;
  /**
   * @param outcome `ok`, `unchanged`, the code of a `StoreError`, or `ended` (aborted: by the caller, by the time limit of the
   * call, or because the process ends)
   */
  storeRequest(priority: "interactive" | "background", outcome: string): void;
  /** @param operation the name of an operation of the storage, such as `get` or `commit` */
  storageOperation(operation: string, isFailed: boolean): void;
  /** @param status HTTP status; undefined if no answer came */
  discordRequest(method: string, route: string, status: number | undefined): void;
  /** A request to Discord waits this many ms for a rate limit. */
  rateLimitWait(ms: number): void;
  shardConnected(shard: number, isConnected: boolean): void;
}

const nothing = () => undefined;

export const noMetrics: Metrics = {
  poll: nothing,
  alertPosted: nothing,
  alertEdited: nothing,
  alertsOwed: nothing,
  storeRequest: nothing,
  storageOperation: nothing,
  discordRequest: nothing,
  rateLimitWait: nothing,
  shardConnected: nothing,
};
