import type { Privacy } from "../basics/privacy.ts";
import { withStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { customerFields } from "../views/orders/customer.ts";
import type { Cell } from "./csv.ts";
import type { Days } from "./days.ts";
import { createPast } from "./newest-first.ts";
import type { ExportPlan } from "./run-export.ts";

const columns = [
  "id",
  "status",
  "createdAt",
  "paymentMethod",
  "items",
  "quantity",
  "subtotal",
  "discount",
  "total",
  "customerName",
  "customerEmail",
] as const;
const customerColumns: ReadonlySet<string> = new Set(["customerName", "customerEmail"]);

/** The last moment that a Date can hold (ECMAScript, time values). */
const latestMs = 8.64e15;

/** ISO 8601 in UTC: the one form that no spreadsheet takes for another day. Empty for no time, or one that no calendar has. */
export const isoMoment = (epochMs = Number.NaN): string =>
  Math.abs(epochMs) <= latestMs ? new Date(epochMs).toISOString() : "";

const itemText = ({ quantity, productTitle, price }: Order["items"][number]) =>
  `${quantity} × ${productTitle} (${price})`;

/**
 * Orders as rows of a file. Columns are called as the store calls its fields, in every language, so that what reads one file
 * reads them all; an order is one row, so that totals can be added up. What was delivered is no field of an order here.
 *
 * @param privacy how much of customers is in the file; of "none" not even the columns are
 */
export function orderPlan(wanted: {
  readonly statuses: readonly string[] | undefined;
  readonly days: Days;
  readonly privacy: Privacy;
}): ExportPlan<Order> {
  const { statuses, days, privacy } = wanted;
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = days;
  const isDated = days.from !== undefined || days.before !== undefined;
  const hasStatus = statuses === undefined ? () => true : withStatus(statuses);
  const isShown = (column: string) => privacy !== "none" || !customerColumns.has(column);

  return {
    columns: columns.filter(isShown),
    cells(order) {
      const { pricing, items, hasMoreItems = false } = order;
      const { name = "", email = "" } = customerFields(order.customer, privacy) ?? {};
      const cells: Readonly<Record<(typeof columns)[number], Cell>> = {
        id: order.id,
        status: order.status,
        createdAt: isoMoment(order.createdAt),
        paymentMethod: order.paymentMethod,
        items: [...items.map(itemText), ...(hasMoreItems ? ["…"] : [])].join("; "),
        // A sum of some of them would be a wrong one.
        quantity: hasMoreItems ? undefined : items.reduce((sum, { quantity }) => sum + quantity, 0),
        subtotal: pricing.subtotal,
        discount: pricing.discount,
        total: pricing.total,
        customerName: name,
        customerEmail: email,
      };
      return columns.filter(isShown).map((column) => cells[column]);
    },
    sort(order) {
      if (!hasStatus(order)) return "unwanted";
      if (!isDated) return "wanted";
      if (order.createdAt === undefined) return "undated";
      return order.createdAt >= from && order.createdAt < before ? "wanted" : "unwanted";
    },
    isPast: createPast(from),
  };
}
