import type { Privacy } from "../guilds/guild.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import { customerFields } from "../views/parts/masked-customer.ts";
import { dash } from "../views/parts/text.ts";
import { type Cell, longestCell } from "./csv.ts";
import type { Days } from "./days.ts";
import type { ExportFormat } from "./run-export.ts";
import { createYoungestLeft } from "./whole-list.ts";

function isoMoment(epochMs = Number.NaN): string {
  const at = new Date(epochMs);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

const itemText = ({ quantity, productTitle, price }: Order["items"][number]) =>
  `${quantity} × ${productTitle} (${Number.isNaN(price) ? dash : price})`;

type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const tableOf = <Row>(columns: Columns<Row>) => ({
  columns: Object.keys(columns),
  cells: (row: Row) => Object.values(columns).map((cell) => cell(row)),
});

const orderColumns: Columns<Order> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  createdAt: ({ createdAt }) => isoMoment(createdAt),
  paymentMethod: ({ paymentMethod }) => paymentMethod,
  items: ({ items, moreItems }) => [...items.map(itemText), ...(moreItems ? ["…"] : [])].join("; "),
  // Empty if items are left out, because the sum of only some items would be wrong.
  quantity: ({ items, moreItems }) => (moreItems ? undefined : items.reduce((sum, { quantity }) => sum + quantity, 0)),
  subtotal: ({ pricing }) => pricing.subtotal,
  discount: ({ pricing }) => pricing.discount,
  total: ({ pricing }) => pricing.total,
};

/**
 * In every language, the columns have the names of the API's fields. Each order is one row, so that the totals can be added up.
 * `privacy` "none" leaves out the columns of customers.
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
  const customerColumns: Columns<Order> | false = privacy !== "none" && {
    customerName: ({ customer }) => customerFields(customer, privacy).name,
    customerEmail: ({ customer }) => customerFields(customer, privacy).email,
  };
  return {
    ...tableOf({ ...orderColumns, ...customerColumns }),
    sort(order) {
      if (statuses && !hasStatus(order, statuses)) return "unwanted";
      if (!isDated) return "wanted";
      if (order.createdAt === undefined) return "undated";
      return order.createdAt >= from && order.createdAt < before ? "wanted" : "unwanted";
    },
    isPast: (fresh) => youngestLeft(fresh) < from,
  };
}

const asOne = (link: string) => link.trim().replace(/\s|(?<!,),+(?=$|https?:)/gi, encodeURIComponent);

function links(images: readonly string[]): string {
  let text = "";
  for (const image of images) {
    const longer = `${text} ${asOne(image)}`.trimStart();
    if (longer.length > longestCell - 2) return `${text} …`.trimStart();
    text = longer;
  }
  return text;
}

export const productExport: ExportFormat<Product> = {
  ...tableOf<Product>({
    id: ({ id }) => id,
    type: ({ type }) => type,
    categoryId: ({ categoryId }) => categoryId,
    title: ({ info }) => info.title,
    description: ({ info }) => info.description,
    images: ({ info }) => links(info.images),
    slug: ({ info }) => info.slug,
    price: ({ pricing }) => pricing.price,
    comparation: ({ pricing }) => pricing.comparation,
    createdAt: ({ createdAt }) => isoMoment(createdAt),
  }),
  sort: () => "wanted",
  isPast: () => false,
};
