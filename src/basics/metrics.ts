/**
 * The result of a poll of one server. `waiting`: the store is not asked now, after failures or because too many alerts wait.
 * `key_lost`: no encryption key decrypts the API token. `failed`: an error of the storage or of the bot.
 */
export type PollOutcome = "ok" | "waiting" | "store_failed" | "key_lost" | "failed";

/**
 * Metrics for Prometheus. Their labels have no text from outside, and no ids except numbers of shards. So more servers do not
 * mean more time series. operations/prometheus.ts has the names, help texts and buckets.
 */
export interface Metrics {
  poll(outcome: PollOutcome, ms: number): void;
  /**
   * An order's alert was recorded as posted. `lag` is left out if the bot found the alert by a search of the channel, because
   * then the time of posting is unknown. `sinceCreatedMs` is undefined if the store gave no creation time.
   */
  alertPosted(lag?: { readonly sinceCreatedMs: number | undefined; readonly sinceSeenMs: number }): void;
  alertEdited(): void;
  /** `count` is called each time Prometheus reads the metrics. */
  alertsOwed(count: () => number): void;
  /** @param outcome `ok`, `unchanged`, the code of a `StoreError`, or `ended` (by caller, time limit or end of the process) */
  storeRequest(priority: "interactive" | "background", outcome: string): void;
  /** @param operation a method of the storage, such as `get` or `commit` */
  storageOperation(operation: string, isFailed: boolean): void;
  /** @param status HTTP status; undefined if no answer came */
  discordRequest(method: string, route: string, status: number | undefined): void;
  /** A request to Discord waits this long for a rate limit. */
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
