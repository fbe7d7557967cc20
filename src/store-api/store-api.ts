import { z } from "zod";
import { createProduct, type Endpoint, getOrder, listOrders, listProducts } from "./endpoints.ts";
import type { OrderQuery, Page, ProductQuery } from "./listing.ts";
import type { Answer } from "./outcome.ts";
import { createRequest, type Log, type Timeouts } from "./request.ts";
import { type BadRow, type NewProduct, newProductSchema, type Order, type Product } from "./schemas.ts";
import { StoreError } from "./store-error.ts";

export { ignoredFilters } from "./ignored-filters.ts";
export type { OrderQuery, Page, ProductQuery } from "./listing.ts";
export { StoreError } from "./store-error.ts";

/**
 * One store: a base URL and a token. Every method throws a {@link StoreError}, or the reason of `signal` when the caller
 * gave up; a creation under way at that moment is `ambiguous`.
 */
export interface Store {
  listOrders(query?: OrderQuery, signal?: AbortSignal): Promise<Page<Order>>;
  /** `id` has to be a uuid; anything else is `not_found` without a request. */
  getOrder(id: string, signal?: AbortSignal): Promise<Order>;
  listProducts(query?: ProductQuery, signal?: AbortSignal): Promise<Page<Product>>;
  /**
   * Sent again only when it is certain that the first never reached the server or was refused with 429. After
   * `ambiguous` (no answer, 5xx, a redirect, an answer that makes no sense) look for the product before asking again.
   */
  createProduct(product: NewProduct, signal?: AbortSignal): Promise<{ id: string }>;
}

/** The Store Open API at one base URL, for any number of tokens. */
export interface StoreApi {
  forToken(token: string): Store;
  /**
   * Ends every connection at once. Calls under way fail: a read as `unavailable` or with what its last attempt met, a
   * creation as `ambiguous` when it may have arrived. Calls made later are `unavailable`.
   */
  close(): Promise<void>;
  /** How many HTTP requests were sent so far, retries included. */
  requests(): number;
}

/** Names of the order list's query parameters, which the API document does not show. */
interface OrderParams {
  readonly page: string;
  readonly limit: string;
  readonly email: string;
  readonly status: string;
}

/** What {@link createStoreApi} needs. */
export interface StoreApiDeps {
  /** `{base_url}` of the document, without `/open-api`. A path prefix and a trailing slash are fine. */
  readonly baseUrl: string;
  readonly orderParams: OrderParams;
  readonly log: Log;
  /** Between 0 and 1, for the jitter of retries. */
  readonly random?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds that the first backoff takes at most. */
  readonly retryBaseMs?: number;
}

/** Maximum items per page (store-open-api 8). */
const MOST_PER_PAGE = 100;
const TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 20_000, bodyMs: 20_000, totalMs: 60_000 };
const RETRY_BASE_MS = 500;

/** Makes a client of the Store Open API. Nothing is sent before the first call. */
export function createStoreApi({
  baseUrl,
  orderParams,
  log,
  random = Math.random,
  timeouts = {},
  retryBaseMs = RETRY_BASE_MS,
}: StoreApiDeps): StoreApi {
  const http = createRequest({ baseUrl, log, random, retryBaseMs, timeouts: { ...TIMEOUTS, ...timeouts } });

  const pageOf = <T>(
    endpoint: Endpoint<unknown>,
    { data, servedAt }: Answer<{ items: T[]; bad: BadRow[]; lastPage: number }>,
  ): Page<T> => {
    if (data.bad.length > 0) log.warn({ path: endpoint.path, rows: data.bad.slice(0, 10) }, "store rows left out");
    const page = { items: data.items, lastPage: data.lastPage, skipped: data.bad.length };
    return servedAt === undefined ? page : { ...page, servedAt };
  };

  return {
    forToken: (token) => ({
      async listOrders(query = {}, signal) {
        const params = {
          [orderParams.page]: pageNumber(query.page),
          [orderParams.limit]: pageSize(query.limit),
          [orderParams.email]: query.email || undefined,
          [orderParams.status]: query.statuses?.join(",") || undefined,
        };
        return pageOf(listOrders, await http.request(listOrders, { query: params }, token, signal));
      },
      async getOrder(id, signal) {
        if (!z.guid().safeParse(id).success) throw new StoreError("not_found", "order id is not a uuid");
        return (await http.request(getOrder, { params: { orderId: id } }, token, signal)).data;
      },
      async listProducts(query = {}, signal) {
        const params = {
          page: pageNumber(query.page),
          limit: pageSize(query.limit),
          categoryId: query.categoryId || undefined,
          title: query.title || undefined,
        };
        return pageOf(listProducts, await http.request(listProducts, { query: params }, token, signal));
      },
      async createProduct(product, signal) {
        const parsed = newProductSchema.safeParse(product);
        if (!parsed.success) {
          const fields = parsed.error.issues.map((issue) => issue.path.join("."));
          throw new StoreError("invalid", "product", { detail: fields.join(", ") });
        }
        return (await http.request(createProduct, { body: parsed.data }, token, signal)).data;
      },
    }),
    close: http.close,
    requests: http.sent,
  };
}

const pageNumber = (page: number | undefined) => (page === undefined ? undefined : Math.max(1, Math.trunc(page)));
const pageSize = (limit: number | undefined) =>
  limit === undefined ? undefined : Math.min(Math.max(1, Math.trunc(limit)), MOST_PER_PAGE);
