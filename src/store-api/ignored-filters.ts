import type { OrderQuery, Page } from "./listing.ts";
import type { Order } from "./schemas.ts";

/** A part of {@link OrderQuery} that an API may pass over. */
export type OrderFilter = "status" | "email" | "limit";

/**
 * What one answer shows that the API did not honour: an order with another status or e-mail address, more rows than
 * asked for, or fewer on a page that is not the last. Silence proves nothing: an answer may fit by chance.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): OrderFilter[] {
  const ignored: OrderFilter[] = [];
  if (query.statuses !== undefined && query.statuses.length > 0) {
    const wanted = new Set(query.statuses.map((status) => status.toUpperCase()));
    if (page.items.some((order) => !wanted.has(order.status.toUpperCase()))) ignored.push("status");
  }
  if (query.email !== undefined && query.email !== "") {
    const wanted = query.email.toLowerCase();
    if (page.items.some((order) => !order.customer.email.toLowerCase().includes(wanted))) ignored.push("email");
  }
  if (query.limit !== undefined) {
    const rows = page.items.length + page.skipped;
    const isShort = rows > 0 && rows < query.limit && (query.page ?? 1) < page.lastPage;
    if (rows > query.limit || isShort) ignored.push("limit");
  }
  return ignored;
}
