import { type Evidence, minute, type OrderTruth } from "../world/record.ts";
import type { Settings } from "./settings.ts";

/** The bot reads at most this many pages of products at once, for at most 10 s. */
const pagesAtOnce = 10;
/** Longest latency of the store with which the bot can read so many pages in 10 s (ms). */
const longestLatencyMs = 600;
/** Twice the time after which the bot searches again for a product that it did not find. */
const againMs = 2 * minute;

/**
 * Whether the bot may lack categories of listed products between two times: there are too many products, or the store or the
 * bot had troubles.
 */
export function isHardToKnow({ setup, orders, troubles }: Evidence, from: number, to: number): boolean {
  const { products, rowsPerPage = 100 } = setup.store;
  const all = products + new Set([...orders.values()].map(({ product }) => product)).size;
  const isFailing = troubles.some(
    (one) => one.kind !== "discord" && one.kind !== "channel" && one.from <= to && one.to >= from - againMs,
  );
  return isFailing || all > pagesAtOnce * rowsPerPage || setup.latency.store[1] > longestLatencyMs;
}

/** Whether the bot may apply another rule than these settings name, because it may lack the category of a product. */
export const mayMissRule = (
  evidence: Evidence,
  possible: readonly Pick<Settings, "rules">[],
  from: number,
  to: number,
): boolean =>
  possible.some(({ rules }) => rules.some(({ category }) => category !== undefined)) &&
  isHardToKnow(evidence, from, to);

/** Whether the product was made for this order. No earlier order made the bot search for it. */
const isOwn = ({ productListedAt, placedAt }: OrderTruth) => productListedAt > 0 && productListedAt === placedAt;

/** How the bot may know the order: perhaps without its category, if the product was listed after the order was placed. */
export const asKnown = (order: OrderTruth): readonly OrderTruth[] =>
  order.productListedAt === 0 ||
  isOwn(order) ||
  order.productListedAt < order.placedAt - againMs ||
  order.category === undefined
    ? [order]
    : [order, { ...order, category: undefined }];
