import type { z } from "zod";
import { largestPageSize } from "./listing.ts";
import { type PageRows, readPageRows } from "./page-rows.ts";
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
  /** The path relative to the base URL. A part such as `{id}` is filled in by the call. */
  readonly path: string;
  /** Reads the envelope's `data`. Returns undefined if it does not have the documented form. */
  read(data: unknown): Promise<Data | undefined>;
}

const productsPath = "/open-api/catalog/product";
const ordersPath = "/open-api/checkout/order";

/**
 * Number of lines (items) that are always kept of an order, also if the page has used up its limit of lines. It is as
 * many as an alert or a list names.
 */
const fewestLines = 25;

/**
 * A page of orders. It keeps about as many lines (items) as a page of the requested size may have: 10,000 in a list
 * (100 orders of 100 lines), and 50,000 for a file, 3 MB without their texts. So a page with ten times as many orders
 * as asked for takes little more memory.
 */
function orderPage(schema: z.ZodType<Order>, mostLines: number): Endpoint<PageRows<Order>> {
  return {
    method: "GET",
    path: ordersPath,
    read(data) {
      let left = largestPageSize * mostLines;
      return readPageRows(data, "orders", schema, (order) => {
        const most = Math.max(left, fewestLines);
        left -= Math.min(order.items.length, most);
        return order.items.length <= most
          ? order
          : { ...order, items: order.items.slice(0, most), hasMoreItems: true as const };
      });
    },
  };
}

const productPage = (schema: z.ZodType<Product>): Endpoint<PageRows<Product>> => ({
  method: "GET",
  path: productsPath,
  read: (data) => readPageRows(data, "products", schema),
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
export const listProductsEndpoint = productPage(productSchema);
export const wholeProductsEndpoint = productPage(wholeProductSchema);
export const listOrdersEndpoint = orderPage(listedOrderSchema, mostLinesInList);
export const wholeOrdersEndpoint = orderPage(wholeOrderSchema, mostLinesInFile);
