import { type CommonStatus, meaningOf } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { AlertTrigger } from "../views/settings/set-up.ts";

/** The status of a new order where none was seen yet: the only one that the API document shows (store-open-api 3). */
const customaryPlaced = "PENDING";
/** What stores call a paid order, where none was seen yet. */
const customaryPaid = "PAID";
/** What an order is called when it is paid; a store may deliver it at once, or days later. */
const paidWords: ReadonlySet<CommonStatus | undefined> = new Set(["paid", "approved"]);

/** Of the statuses that are `wanted`, the one that most orders have. */
function seenMost(orders: readonly Order[], wanted: (meaning: ReturnType<typeof meaningOf>) => boolean) {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return most.find(([status]) => wanted(meaningOf(status)))?.[0];
}

/** The statuses behind what a person chose in words, as this store calls them. */
export function statusesFor(rings: AlertTrigger, recent: readonly Order[]): string[] {
  const placed = seenMost(recent, ({ stage }) => stage === "waiting") ?? customaryPlaced;
  const paid =
    seenMost(recent, ({ word }) => paidWords.has(word)) ??
    seenMost(recent, ({ stage }) => stage === "good") ??
    customaryPaid;
  return { new: [placed], paid: [paid], both: [placed, paid] }[rings];
}
