import type { z } from "zod";
import { asItIs, type Wanted } from "./large-json.ts";
import { largestPageSize } from "./listing.ts";
import { type PageRows, type RowReader, readPageRows, rowReader } from "./page-rows.ts";
import {
  createdSchema,
  listedOrderSchema,
  mostLinesInFile,
  mostLinesInList,
  type Order,
  orderSchema,
  type Product,
  productSchema,
  wholeOrderSchema,
  wholeProductSchema,
} from "./schemas.ts";

/** One operation of the Store Open API (store-open-api 4). */
export interface Endpoint<Data> {
  readonly method: "GET" | "POST";
  /** Relative to the base URL. `{name}` is filled in from the call. */
  readonly path: string;
  /** What is read of the envelope's `data` where the answer is large: no more than what `read` looks at. */
  readonly wanted: Wanted;
  /**
   * Reads the envelope's `data`; undefined when it is not the documented one. May stop at every `yield`.
   *
   * @param cut rows that were left out of it already
   */
  read(data: unknown, cut: number): Generator<void, Data | undefined>;
}

const productsPath = "/open-api/catalog/product";
const ordersPath = "/open-api/checkout/order";

const fields = <Name extends string>(...names: Name[]): Record<Name, Wanted> =>
  Object.fromEntries(names.map((name) => [name, asItIs])) as Record<Name, Wanted>;

/** Without the goods, which may be most of an item. */
const orderWanted: Wanted = {
  fields: {
    ...fields("id", "status", "paymentMethod", "createdAt"),
    customer: { fields: fields("email", "name") },
    pricing: { fields: fields("subtotal", "discount", "total") },
    items: { rows: { fields: fields("productId", "productTitle", "quantity", "price") } },
  },
};
const productWanted: Wanted = {
  fields: {
    ...fields("id", "type", "categoryId", "createdAt"),
    pricing: { fields: fields("price", "comparation") },
    info: { fields: { ...fields("title", "description", "slug"), images: { rows: asItIs } } },
  },
};

/** @param reader makes what reads the rows of one page */
function list<Row>(path: string, key: string, reader: () => RowReader<Row>, row: Wanted): Endpoint<PageRows<Row>> {
  return {
    method: "GET",
    path,
    wanted: { fields: { [key]: { rows: { ...row, reader } }, lastPage: asItIs } },
    read: (data, cut) => readPageRows(data, key, reader(), cut),
  };
}

/** Lines of an order that comes after so many others with as many as they may have: as many as an alert or a list names. */
const fewestLines = 25;

/**
 * A page of orders, which keeps as many lines as those of a page that is as large as was asked for may have: 10,000 of
 * 100 each in a list, and 50,000 for a file, 3 MB besides their texts. A page of an API that gives ten times as many orders
 * takes little more.
 */
function orders(schema: z.ZodType<Order>, mostLines: number): Endpoint<PageRows<Order>> {
  const reader = () => {
    let left = largestPageSize * mostLines;
    return rowReader(schema, (order) => {
      const most = Math.max(left, fewestLines);
      left -= Math.min(order.items.length, most);
      return order.items.length <= most
        ? order
        : { ...order, items: order.items.slice(0, most), hasMoreItems: true as const };
    });
  };
  return list(ordersPath, "orders", reader, orderWanted);
}

function products(schema: z.ZodType<Product>): Endpoint<PageRows<Product>> {
  const readRow = rowReader(schema);
  return list(productsPath, "products", () => readRow, productWanted);
}

function single<Data>(method: "GET" | "POST", path: string, schema: z.ZodType<Data>, wanted: Wanted): Endpoint<Data> {
  return {
    method,
    path,
    wanted,
    *read(data) {
      const parsed = schema.safeParse(data);
      yield;
      return parsed.data;
    },
  };
}

export const createProduct = single("POST", productsPath, createdSchema, { fields: fields("id") });
export const listProducts = products(productSchema);
export const wholeProducts = products(wholeProductSchema);
export const listOrders = orders(listedOrderSchema, mostLinesInList);
export const wholeOrders = orders(wholeOrderSchema, mostLinesInFile);
export const getOrder = single<Order>("GET", `${ordersPath}/{orderId}`, orderSchema, orderWanted);
