import { type Evidence, minute, type OrderTruth } from "../world/record.ts";

/** The bot reads at most this many pages of products at once, for at most 10 s. */
const pagesAtOnce = 10;
/** Longest latency of the store with which it can read them in this time (ms). */
const longestLatencyMs = 600;
/** A product that the bot did not find is not searched for again within a minute. */
const againMs = 2 * minute;

/**
 * Whether the bot perhaps does not know the categories of listed products between two times: there are too many products, or
 * the store or the bot itself had troubles.
 */
export function isHardToKnow({ setup, orders, troubles }: Evidence, from: number, to: number): boolean {
  const { products, rowsPerPage = 100 } = setup.store;
  const all = products + new Set([...orders.values()].map(({ product }) => product)).size;
  const isFailing = troubles.some(
    (one) => one.kind !== "discord" && one.kind !== "channel" && one.from <= to && one.to >= from - againMs,
  );
  return isFailing || all > pagesAtOnce * rowsPerPage || setup.latency.store[1] > longestLatencyMs;
}

/** The order, as the bot may know it: perhaps without its category, if the product was listed only after the order was placed. */
export const asKnown = (order: OrderTruth): readonly OrderTruth[] =>
  order.productListedAt === 0 || order.productListedAt < order.placedAt - againMs || order.category === undefined
    ? [order]
    : [order, { ...order, category: undefined }];
