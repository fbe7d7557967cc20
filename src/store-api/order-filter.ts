import { z } from "zod";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/**
 * The filters of an order list. Declare a new filter here; the code does not compile until `fitsFilter`,
 * `ignoredFilters` and `orderPage` handle it. If the API has such a filter, `orderCall` must send it. If the API has
 * none, the filter counts as ignored, and the bot filters the list itself.
 */
export const orderFilterSchema = z.object({
  statuses: z.array(z.string()).readonly().optional(),
  /** A whole address; upper and lower case are the same. */
  email: z.string().optional(),
});
export type OrderFilter = Readonly<z.infer<typeof orderFilterSchema>>;

/** Returns the names of the filters that are set. */
export const filtersIn = (query: OrderFilter): (keyof OrderFilter)[] =>
  orderFilterSchema.keyof().options.filter((name) => query[name] !== undefined);

type Fits = (order: Pick<Order, "status" | "customer">) => boolean;

/** Returns a test whether an order fits every filter. It is needed because an API may ignore its filters. */
export function fitsFilter({ statuses, email }: OrderFilter): Fits {
  const address = email?.toLowerCase();
  const tests: Readonly<Record<keyof OrderFilter, Fits>> = {
    statuses: statuses === undefined ? () => true : withStatus(statuses),
    email: ({ customer }) => address === undefined || customer.email.toLowerCase() === address,
  };
  const all = Object.values(tests);
  return (order) => all.every((fits) => fits(order));
}
