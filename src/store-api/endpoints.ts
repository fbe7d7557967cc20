import type { z } from "zod";
import { createdSchema, orderSchema, pageSchema, productSchema } from "./schemas.ts";

/** One operation of the Store Open API (store-open-api 4). */
export interface Endpoint<Data> {
  readonly method: "GET" | "POST";
  /** Relative to the base URL. `{name}` is filled in from the call. */
  readonly path: string;
  /** The shape of the envelope's `data`. */
  readonly data: z.ZodType<Data>;
}

const endpoint = <Data>(method: "GET" | "POST", path: string, data: z.ZodType<Data>): Endpoint<Data> => ({
  method,
  path,
  data,
});

const PRODUCTS = "/open-api/catalog/product";
const ORDERS = "/open-api/checkout/order";

export const createProduct = endpoint("POST", PRODUCTS, createdSchema);
export const listProducts = endpoint("GET", PRODUCTS, pageSchema("products", productSchema));
export const listOrders = endpoint("GET", ORDERS, pageSchema("orders", orderSchema));
export const getOrder = endpoint("GET", `${ORDERS}/{orderId}`, orderSchema);
