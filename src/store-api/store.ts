import { z } from "zod";
import type { Log } from "../basics/log.ts";
import type { OrderParams } from "../basics/order-params.ts";
import type { Answer } from "./answer-of.ts";
import type { Capabilities } from "./capabilities.ts";
import {
  createProductEndpoint,
  getOrderEndpoint,
  listOrdersEndpoint,
  listProductsEndpoint,
  wholeOrdersEndpoint,
  wholeProductsEndpoint,
} from "./endpoints.ts";
import type { Call } from "./http-client.ts";
import type { OrderPage, OrderQuery, Page, ProductQuery } from "./list-pages.ts";
import type { PageRows } from "./page-rows.ts";
import { isOrderId, type NewProduct, type Order, type Product } from "./schemas.ts";
import { StoreError } from "./store-error.ts";
import type { Requester, StoreRequests } from "./store-requests.ts";

/**
 * A base URL and a token. Every method throws a {@link StoreError}, or the reason of `signal` if `signal` aborts. A creation
 * has no signal, because after an abort the product may exist.
 */
export interface Store {
  listOrders(query?: OrderQuery, signal?: AbortSignal): Promise<Page<Order>>;
  /** If the page has the given fingerprint, returns undefined without parsing the page. */
  changedOrders(
    query: OrderQuery,
    fingerprint: string | undefined,
    signal?: AbortSignal,
  ): Promise<OrderPage | undefined>;
  /** If `id` cannot be an id, throws `not_found` without a request. */
  getOrder(id: string, signal?: AbortSignal): Promise<Order>;
  listProducts(query?: ProductQuery, signal?: AbortSignal): Promise<Page<Product>>;
  /** After the error `ambiguous`, the product may exist. The caller must search for it before another attempt. */
  createProduct(product: NewProduct): Promise<{ id: string }>;
  readonly capabilities: Pick<Capabilities, "of" | "note">;
}

interface StoreDeps {
  readonly requests: StoreRequests;
  readonly capabilities: Capabilities;
  readonly orderParams: OrderParams;
  readonly log: Pick<Log, "warn">;
}

/** A call without a known fingerprint always returns an answer. */
function asked<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error("an answer is missing");
  return answer;
}

export function createStore(deps: StoreDeps, asker: Omit<Requester, "signal">): Store {
  const { requests, capabilities, orderParams, log } = deps;

  async function changedOrders(query: OrderQuery, known: string | undefined, signal: AbortSignal | undefined) {
    const endpoint = query.isWhole ? wholeOrdersEndpoint : listOrdersEndpoint;
    if ((query.page ?? 1) === 1) capabilities.forgetPageOne();
    try {
      const answer = await requests.request(endpoint, orderCall(query, orderParams), { ...asker, signal }, known);
      if (answer === undefined) return undefined;
      const page = pageOf(query, answer, endpoint.path, log);
      capabilities.observe(query, page);
      return { ...page, fingerprint: answer.fingerprint ?? "" };
    } catch (error) {
      return { ...gonePage(query, error), fingerprint: "" };
    }
  }

  return {
    changedOrders,
    listOrders: async (query = {}, signal) => asked(await changedOrders(query, undefined, signal)),
    async getOrder(id, signal) {
      if (!isOrderId(id)) throw new StoreError("not_found", "no order has this id");
      try {
        return asked(await requests.request(getOrderEndpoint, { params: { orderId: id } }, { ...asker, signal })).data;
      } catch (error) {
        // An API whose ids are uuids refuses any other text as invalid. So no order has this id.
        const isNone = error instanceof StoreError && error.code === "invalid" && !z.guid().safeParse(id).success;
        throw isNone ? new StoreError("not_found", "GET order") : error;
      }
    },
    async listProducts(query = {}, signal) {
      const endpoint = query.isWhole ? wholeProductsEndpoint : listProductsEndpoint;
      try {
        const answer = await requests.request(endpoint, productCall(query), { ...asker, signal });
        return pageOf(query, asked(answer), endpoint.path, log);
      } catch (error) {
        return gonePage(query, error);
      }
    },
    createProduct: async (product) =>
      asked(await requests.request(createProductEndpoint, { body: product }, asker)).data,
    capabilities,
  };
}

const orderCall = ({ page, limit, email, statuses }: OrderQuery, names: OrderParams): Call => ({
  query: {
    [names.page]: page,
    [names.limit]: limit,
    [names.email]: email || undefined,
    [names.status]: statuses?.join(",") || undefined,
  },
});

const productCall = ({ page, limit, categoryId, title }: ProductQuery): Call => ({
  query: { page, limit, categoryId: categoryId || undefined, title: title || undefined },
});

function pageOf<Row>(
  { page = 1, limit }: OrderQuery,
  { data, servedAt }: Answer<PageRows<Row>>,
  path: string,
  log: Pick<Log, "warn">,
): Page<Row> {
  const { items, bad } = data;
  if (bad.length > 0) log.warn({ path, rows: bad.slice(0, 10) }, "store rows left out");
  const read = { items, skipped: bad.length, servedAt };
  if (data.lastPage !== undefined) return { ...read, lastPage: data.lastPage };
  const rows = items.length + bad.length;
  const mayHaveMore = rows > 0 && rows === limit;
  return { ...read, lastPage: mayHaveMore ? page + 1 : page, mayHaveMore };
}

/** A 404 to a later page means that the list has become shorter. Every store has page 1, so a 404 to page 1 is `malformed`. */
function gonePage({ page = 1 }: OrderQuery | ProductQuery, error: unknown): Page<never> {
  if (!(error instanceof StoreError) || error.code !== "not_found") throw error;
  if (page === 1) throw new StoreError("malformed", error.message);
  return { items: [], lastPage: page - 1, skipped: 0, isGone: true };
}
