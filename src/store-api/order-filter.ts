import { z } from "zod";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/**
 * What a list of orders is narrowed to. A new filter is declared here, with what fits it; `searchOrders` says whether the API
 * can be asked for it, and `orderPage` shows it.
 */
export const orderFilterSchema = z.object({
  statuses: z.array(z.string()).readonly().optional(),
  /** A whole address. Capitals do not count. */
  email: z.string().optional(),
});
export type OrderFilter = Readonly<z.infer<typeof orderFilterSchema>>;

/** Whether anything is left out. */
export const isNarrowed = (query: OrderFilter): boolean =>
  Object.values(orderFilterSchema.parse(query)).some((wanted) => wanted !== undefined);

/** Tells of any number of orders whether they fit every filter: an API may pass over what it was asked for. */
export function fitsFilter({ statuses, email }: OrderFilter): (order: Pick<Order, "status" | "customer">) => boolean {
  const isWanted = statuses === undefined ? () => true : withStatus(statuses);
  const address = email?.toLowerCase();
  return (order) => isWanted(order) && (address === undefined || order.customer.email.toLowerCase() === address);
}
