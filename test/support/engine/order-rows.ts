import { toAlertOrder } from "../../../src/orders/alert-order.ts";
import type { Ledger } from "../../../src/orders/ledger.ts";
import type { Facts, OrderRow, PostedOrder } from "../../../src/orders/order-row.ts";

export const dealtWith: OrderRow = { state: "closed" };

export const factsOf = (order: Parameters<typeof toAlertOrder>[0]): Facts => toAlertOrder(order, "none");

/** The alert is posted in a message of its own. */
export function openRow(facts: Facts, channelId = "c", messageId = "1", foundAt = 0): PostedOrder {
  const stand = { channelId, messageId, members: [facts.id], isClassic: true as const };
  return { state: "open", facts, foundAt, stand };
}

export const recordOrders = (ledger: Ledger, rows: ReadonlyMap<string, OrderRow>): Promise<void> =>
  ledger.write([...rows.keys()], (_, __, some) => [
    {
      orders: some.flatMap((id) => {
        const row = rows.get(id);
        return row ? [[id, row] as const] : [];
      }),
    },
  ]);
