import { z } from "zod";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/**
 * The filters of an order list. Declare a new filter here, with the orders that fit it. `searchOrders` decides whether to ask the
 * API for it, and `orderPage` shows it.
 */
export const orderFilterSchema = z.object({
  statuses: z.array(z.string()).readonly().optional(),
  /** A whole address; upper and lower case are the same. */
  email: z.string().optional(),
});
export type OrderFilter = Readonly<z.infer<typeof orderFilterSchema>>;

/** Whether a filter is set. */
export const isNarrowed = (query: OrderFilter): boolean =>
  Object.values(orderFilterSchema.parse(query)).some((wanted) => wanted !== undefined);

/** Returns a test whether an order fits every filter. It is needed because an API may ignore its filters. */
export function fitsFilter({ statuses, email }: OrderFilter): (order: Pick<Order, "status" | "customer">) => boolean {
  const isWanted = statuses === undefined ? () => true : withStatus(statuses);
  const address = email?.toLowerCase();
  return (order) => isWanted(order) && (address === undefined || order.customer.email.toLowerCase() === address);
}
