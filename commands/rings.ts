import { meaningOf } from "../src/store-api/order-status.ts";
import type { Order } from "../src/store-api/schemas.ts";
import type { Rings } from "../src/views/set-up.ts";

/** The status of a new order: the only one that the API document shows (store-open-api 3). */
const placed = "PENDING";
/** What stores call a paid order, where none was seen yet. */
const customaryPaid = "PAID";

/** The status that means paid in this store: of those seen that are good news, the one that was seen most. */
function paidStatus(orders: readonly Order[]): string {
  const counts = new Map<string, number>();
  for (const { status } of orders) {
    if (meaningOf(status).stage === "good") counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? customaryPaid;
}

/** The statuses behind what a person chose in words. */
export function statusesFor(rings: Rings, recent: readonly Order[]): string[] {
  const paid = paidStatus(recent);
  return { new: [placed], paid: [paid], both: [placed, paid] }[rings];
}
