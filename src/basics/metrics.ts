/**
 * How a poll of one server ended: `store_failed` when the store could not be read, `waiting` when it is left alone for a
 * while (after failures, or because too many alerts are planned), `key_lost` when no key opens the token, `failed` by a fault
 * of the storage or of the bot.
 */
export type PollOutcome = "ok" | "waiting" | "store_failed" | "key_lost" | "failed";

/**
 * Counters of every room. No label is an id or comes from outside, so their number does not grow with the number of
 * servers. Their names for Prometheus, help and buckets are in `operations/prometheus.ts`.
 */
export interface Metrics {
  /** A poll of one server ended, after so many ms. */
  poll(outcome: PollOutcome, ms: number): void;
  /** An order's alert was posted. `sinceCreatedMs` only where the store said when the order was made. */
  alertPosted(lag: { readonly sinceCreatedMs: number | undefined; readonly sinceSeenMs: number }): void;
  /** A message with alerts was brought up to date. */
  alertEdited(): void;
  /** Takes what gives the number of alerts that are planned; it is called at each scrape. */
  alertsOwed(count: () => number): void;
  /** @param outcome `ok`, `unchanged`, `ended` (called off), or the code of a `StoreError` */
  storeRequest(priority: "interactive" | "background", outcome: string): void;
  /** @param operation the name of a method of `Table` */
  storageOperation(operation: string, isFailed: boolean): void;
  /** @param status HTTP status, undefined where no answer came */
  discordRequest(method: string, route: string, status: number | undefined): void;
  /** A request to Discord waits so many ms for a rate limit. */
  rateLimitWait(ms: number): void;
  shardConnected(shard: number, isConnected: boolean): void;
}

const nothing = () => undefined;

/** Counts nothing. */
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
