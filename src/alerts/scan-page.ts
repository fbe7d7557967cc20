import type { Order } from "../store-api/schemas.ts";
import { type Page, StoreError } from "../store-api/store-api.ts";

/** Reads a page of a list that may have become shorter: a page that the API does not have any more is an empty one. */
export async function readPageOrGone(
  readPage: (page: number) => Promise<Page<Order>>,
  page: number,
): Promise<Page<Order>> {
  try {
    return await readPage(page);
  } catch (error) {
    if (page > 1 && error instanceof StoreError && error.code === "not_found") {
      return { items: [], lastPage: page - 1, skipped: 0 };
    }
    throw error;
  }
}

/** A date and time without a zone, which Date.parse would take for this machine's own. */
const zoneless = /T[\d:.]+$/;

/** Epoch ms of a creation time, in UTC where it names no zone; NaN when it is none. */
export function timeOf({ createdAt }: { readonly createdAt: string }): number {
  return Date.parse(zoneless.test(createdAt) ? `${createdAt}Z` : createdAt);
}

/** Whether an order has one of these statuses, without regard to case. */
export function hasStatus(order: Pick<Order, "status">, statuses: readonly string[]): boolean {
  const status = order.status.toUpperCase();
  return statuses.some((wanted) => wanted.toUpperCase() === status);
}
