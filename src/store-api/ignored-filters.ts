import { type OrderQuery, type Page, rowsOf } from "./listing.ts";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/** A part of {@link OrderQuery} that an API may pass over. */
export type OrderFilter = "status" | "email" | "limit";

/**
 * What one answer shows that the API passed over: an order with another status or e-mail address, more rows than
 * asked for, or fewer on a page that is not the last. Silence proves nothing: an answer may fit by chance.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): OrderFilter[] {
  const { statuses = [], email = "", limit } = query;
  const ignored: OrderFilter[] = [];
  const isWanted = withStatus(statuses);
  if (statuses.length > 0 && page.items.some((order) => !isWanted(order))) ignored.push("status");
  const wanted = email.toLowerCase();
  if (page.items.some((order) => !order.customer.email.toLowerCase().includes(wanted))) ignored.push("email");
  if (limit !== undefined) {
    const rows = rowsOf(page);
    const isShort = rows > 0 && rows < limit && (query.page ?? 1) < page.lastPage;
    if (rows > limit || isShort) ignored.push("limit");
  }
  return ignored;
}
