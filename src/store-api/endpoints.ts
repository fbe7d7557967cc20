import type { z } from "zod";
import type { Wanted } from "./large-json.ts";
import { type PageRows, readPageRows } from "./page-rows.ts";
import { createdSchema, type Order, orderSchema, type Product, productSchema } from "./schemas.ts";

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

const PRODUCTS = "/open-api/catalog/product";
const ORDERS = "/open-api/checkout/order";

const AS_IT_IS: Wanted = {};
const fields = <Name extends string>(...names: Name[]): Record<Name, Wanted> =>
  Object.fromEntries(names.map((name) => [name, AS_IT_IS])) as Record<Name, Wanted>;

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

function list<Row>(path: string, key: string, schema: z.ZodType<Row>, row: Wanted): Endpoint<PageRows<Row>> {
  return {
    method: "GET",
    path,
    wanted: { fields: { [key]: { rows: row }, lastPage: AS_IT_IS } },
    read: (data, cut) => readPageRows(data, key, schema, cut),
  };
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

export const createProduct = single("POST", PRODUCTS, createdSchema, { fields: fields("id") });
export const listProducts = list<Product>(PRODUCTS, "products", productSchema, productWanted);
export const listOrders = list<Order>(ORDERS, "orders", orderSchema, orderWanted);
export const getOrder = single<Order>("GET", `${ORDERS}/{orderId}`, orderSchema, orderWanted);
