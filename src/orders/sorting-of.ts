import type { Order } from "../store-api/schemas.ts";

/**
 * Returns how a page is sorted by creation time. Undefined if it is not sorted, if a time is missing, or if all times are
 * equal.
 */
export function sortingOf(items: readonly Pick<Order, "createdAt">[]): "newest_first" | "oldest_first" | undefined {
  const times = items.map(({ createdAt }) => createdAt ?? Number.NaN);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
  if (steps.every((step) => step === 0)) return undefined;
  if (steps.every((step) => step <= 0)) return "newest_first";
  return steps.every((step) => step >= 0) ? "oldest_first" : undefined;
}
