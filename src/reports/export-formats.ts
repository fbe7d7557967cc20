import { withStatus } from "../store-api/order-status.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import { customerFields, type Privacy } from "../views/parts/masked-customer.ts";
import { type Cell, longestCell } from "./csv.ts";
import type { Days } from "./days.ts";
import type { ExportFormat } from "./run-export.ts";
import { createYoungestLeft } from "./whole-list.ts";

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

/** The last moment of a `Date` (ECMAScript, time values). */
const latestMs = 8.64e15;

/** Writes a time as ISO 8601 in UTC. Every spreadsheet reads the right day from it. Returns "" if there is no time. */
const isoMoment = (epochMs = Number.NaN): string =>
  Math.abs(epochMs) <= latestMs ? new Date(epochMs).toISOString() : "";

const itemText = ({ quantity, productTitle, price }: Order["items"][number]) =>
  `${quantity} × ${productTitle} (${price})`;

/**
 * Describes the file of orders. The names of the columns are fields of the API, the same in every language. Each order is one
 * row, so that the totals can be added up.
 *
 * @param privacy how much of customers is in the file; "none" leaves their columns out
 */
export function orderExport(wanted: {
  readonly statuses: readonly string[] | undefined;
  readonly days: Days;
  readonly privacy: Privacy;
}): ExportFormat<Order> {
  const { statuses, days, privacy } = wanted;
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = days;
  const youngestLeft = createYoungestLeft();
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
        // Empty if the store did not list all items, because the sum of only some of them would be wrong.
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
    isPast: (fresh) => youngestLeft(fresh) < from,
  };
}

const asOne = (link: string) => link.trim().replace(/\s|(?<!,),+(?=$|https?:)/gi, encodeURIComponent);

/** Joins as many whole links as fit into a cell. If links are left out, the text ends in "…". */
function links(images: readonly string[]): string {
  let text = "";
  for (const image of images) {
    const longer = `${text} ${asOne(image)}`.trimStart();
    if (longer.length > longestCell - 2) return `${text} …`.trimStart();
    text = longer;
  }
  return text;
}

/** Describes the file of products, with every field that the store lists. */
export const productExport: ExportFormat<Product> = {
  columns: ["id", "type", "categoryId", "title", "description", "images", "slug", "price", "comparation", "createdAt"],
  cells: ({ id, type, categoryId, info, pricing, createdAt }) => [
    id,
    type,
    categoryId,
    info.title,
    info.description,
    links(info.images),
    info.slug,
    pricing.price,
    pricing.comparation,
    isoMoment(createdAt),
  ],
  sort: () => "wanted",
  isPast: () => false,
};
