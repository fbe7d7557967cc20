import type { z } from "zod";
import { type PageRows, readPageRows } from "./page-rows.ts";
import {
  createdSchema,
  type Order,
  orderSchema,
  productSchema,
  wholeOrderSchema,
  wholeProductSchema,
} from "./schemas.ts";

/** One operation of the Store Open API (section 4 of store-open-api, the API's document). */
export interface Endpoint<Data> {
  readonly method: "GET" | "POST";
  /** Relative to the base URL. `Call.params` replace parts such as `{orderId}`. */
  readonly path: string;
  /** Undefined if the envelope's `data` does not have the documented form. */
  read(data: unknown): Promise<Data | undefined>;
}

const productsPath = "/open-api/catalog/product";
const ordersPath = "/open-api/checkout/order";

const pageOf = <Row>(path: string, key: string, schema: z.ZodType<Row>): Endpoint<PageRows<Row>> => ({
  method: "GET",
  path,
  read: (data) => readPageRows(data, key, schema),
});

export const createProductEndpoint: Endpoint<{ id: string }> = {
  method: "POST",
  path: productsPath,
  read: async (data) => createdSchema.safeParse(data).data,
};
export const getOrderEndpoint: Endpoint<Order> = {
  method: "GET",
  path: `${ordersPath}/{orderId}`,
  read: async (data) => orderSchema.safeParse(data).data,
};
export const listProductsEndpoint = pageOf(productsPath, "products", productSchema);
export const wholeProductsEndpoint = pageOf(productsPath, "products", wholeProductSchema);
export const listOrdersEndpoint = pageOf(ordersPath, "orders", orderSchema);
export const wholeOrdersEndpoint = pageOf(ordersPath, "orders", wholeOrderSchema);
