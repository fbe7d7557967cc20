import type { z } from "zod";
import { asItIs, type Wanted } from "./large-json.ts";
import { type PageRows, type RowReader, readPageRows, rowReader } from "./page-rows.ts";
import { createdSchema, listedOrderSchema, type Order, orderSchema, type Product, productSchema } from "./schemas.ts";

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
    ...fields("id", "status", "customer", "pricing", "paymentMethod", "createdAt"),
    items: { rows: { fields: fields("productId", "productTitle", "quantity", "price") } },
  },
};
const productWanted: Wanted = {
  fields: {
    ...fields("id", "type", "categoryId", "pricing", "createdAt"),
    info: { fields: fields("title", "description", "images", "slug") },
  },
};

function list<Row>(path: string, key: string, readRow: RowReader<Row>, row: Wanted): Endpoint<PageRows<Row>> {
  return {
    method: "GET",
    path,
    wanted: { fields: { [key]: { rows: { ...row, keep: readRow } }, lastPage: asItIs } },
    read: (data, cut) => readPageRows(data, key, readRow, cut),
  };
}

/** Lines of all orders of a page: 100 each of as many orders as are asked for. */
const mostLinesOfPage = 10_000;
/** Lines of an order that comes after those: as many as an alert or a list names. */
const fewestLines = 25;

/** A page of an API that gives ten times as many orders as were asked for takes little more memory than any other. */
function withFewerLines(orders: readonly Order[]): Order[] {
  let left = mostLinesOfPage;
  return orders.map((order) => {
    const most = Math.max(left, fewestLines);
    left -= Math.min(order.items.length, most);
    return order.items.length <= most ? order : { ...order, items: order.items.slice(0, most) };
  });
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
export const listProducts = list<Product>(productsPath, "products", rowReader(productSchema), productWanted);
const ordersPage = list<Order>(ordersPath, "orders", rowReader(listedOrderSchema), orderWanted);
export const listOrders: Endpoint<PageRows<Order>> = {
  ...ordersPage,
  *read(data, cut) {
    const page = yield* ordersPage.read(data, cut);
    return page && { ...page, items: withFewerLines(page.items) };
  },
};
export const getOrder = single<Order>("GET", `${ordersPath}/{orderId}`, orderSchema, orderWanted);
