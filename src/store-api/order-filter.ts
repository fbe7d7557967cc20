import { z } from "zod";
import { hasStatusOf } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/** An API may ignore a filter. If its answers show this, the bot filters the list itself, with `tests`. */
export const orderFilterSchema = z.object({
  statuses: z.array(z.string()).readonly().optional(),
  /** A whole e-mail address in upper or lower case. */
  email: z.string().optional(),
});
export type OrderFilter = Readonly<z.infer<typeof orderFilterSchema>>;

/** An empty text or list is no filter. */
export const filtersIn = (query: OrderFilter): (keyof OrderFilter)[] =>
  orderFilterSchema.keyof().options.filter((name) => String(query[name] ?? "") !== "");

type Fits = (order: Order) => boolean;
type Tests = Readonly<Record<keyof OrderFilter, (filter: OrderFilter) => Fits>>;

const tests: Tests = {
  statuses: ({ statuses = [] }) => hasStatusOf(statuses),
  email({ email }) {
    const address = email?.toLowerCase();
    return ({ customer }) => customer.email.toLowerCase() === address;
  },
};

export function fitsFilter(filter: OrderFilter): Fits {
  const all = filtersIn(filter).map((name) => tests[name](filter));
  return (order) => all.every((fits) => fits(order));
}

/** An API may search for the text anywhere in an e-mail address. Such an API does not ignore the filter. */
const looseTests: Tests = {
  ...tests,
  email({ email = "" }) {
    const part = email.toLowerCase();
    return ({ customer }) => customer.email.toLowerCase().includes(part);
  },
};

/** The filters that the API ignored: at least one of the listed orders does not match them. */
export const filtersIgnored = (filter: OrderFilter, orders: readonly Order[]): (keyof OrderFilter)[] =>
  filtersIn(filter).filter((name) => {
    const fits = looseTests[name](filter);
    return !orders.every((order) => fits(order));
  });
