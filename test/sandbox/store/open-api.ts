import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Reply, SeenRequest } from "./faults.ts";
import type { createOrderBook } from "./order-book.ts";
import { type Honours, type Ordering, type ParamNames, type StoredProduct, submittedProduct } from "./shapes.ts";

/** What the pretend API serves from. */
export interface OpenApiState {
  readonly book: ReturnType<typeof createOrderBook>;
  readonly products: StoredProduct[];
  readonly tokens: ReadonlySet<string>;
  readonly ordering: Ordering;
  readonly honours: Honours;
  readonly paramNames: ParamNames;
}

const DEFAULT_LIMIT = 10;
/** Maximum items per page (store-open-api 8). */
const MOST_PER_PAGE = 100;
const PRODUCTS = "/open-api/catalog/product";
const ORDERS = "/open-api/checkout/order";

const whole = (fallback: number, most: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(most)).default(fallback);
const pageNumber = whole(1, Number.MAX_SAFE_INTEGER);
const pageSize = whole(DEFAULT_LIMIT, MOST_PER_PAGE);

const ok = (data: unknown): Reply => ({ status: 200, body: { success: true, data } });
const refuse = (status: number, message: string): Reply => ({ status, body: { success: false, message } });

/** Carries out one request by the API document; `changed` is called when a product was created. */
export function openApi(
  state: OpenApiState,
  request: SeenRequest,
  body: string,
  contentType: string | undefined,
  changed: () => void,
): Reply {
  const [scheme, token] = (request.authorization ?? "").split(" ");
  if (scheme !== "Bearer" || token === undefined || !state.tokens.has(token)) {
    // Noise of the kind that real services leak: whoever prints an error body prints this.
    const message = `Refused-Body-Noise: ${request.authorization} at verify (/srv/store/auth.js:12) <b>key=SECRET-NOISE</b>`;
    return refuse(401, message);
  }
  if (request.path === PRODUCTS && request.method === "GET") return listProducts(state, request.query);
  if (request.path === PRODUCTS && request.method === "POST") return createProduct(state, body, contentType, changed);
  if (request.path === ORDERS && request.method === "GET") return listOrders(state, request.query);
  if (request.path.startsWith(`${ORDERS}/`) && request.method === "GET") {
    return getOrder(state, decodeURIComponent(request.path.slice(ORDERS.length + 1)));
  }
  return refuse(404, "Cannot find this path");
}

function listOrders({ book, ordering, honours, paramNames }: OpenApiState, query: SeenRequest["query"]): Reply {
  const page = pageNumber.safeParse(query[paramNames.page]);
  const limit = pageSize.safeParse(honours.limit ? query[paramNames.limit] : undefined);
  const email = honours.email ? z.string().optional().safeParse(query[paramNames.email]).data : undefined;
  if (!page.success) return refuse(400, `${paramNames.page} must be an integer of at least 1`);
  if (!limit.success) return refuse(400, `${paramNames.limit} must be an integer between 1 and ${MOST_PER_PAGE}`);
  const statuses = honours.status ? query[paramNames.status]?.split(",") : undefined;
  const filters = { ...(statuses === undefined ? {} : { statuses }), ...(email === undefined ? {} : { email }) };
  return ok(book.page(ordering, filters, page.data, limit.data));
}

function getOrder({ book }: OpenApiState, id: string): Reply {
  if (!z.guid().safeParse(id).success) return refuse(400, "orderId must be a UUID");
  const order = book.find(id);
  return order === undefined ? refuse(404, "Order not found") : ok(order);
}

function listProducts({ products }: OpenApiState, query: SeenRequest["query"]): Reply {
  const page = pageNumber.safeParse(query.page);
  const limit = pageSize.safeParse(query.limit);
  const { categoryId, title } = query;
  if (!page.success) return refuse(400, "page must be an integer of at least 1");
  if (!limit.success) return refuse(400, `limit must be an integer between 1 and ${MOST_PER_PAGE}`);
  if (categoryId !== undefined && !z.guid().safeParse(categoryId).success) {
    return refuse(400, "categoryId must be a UUID");
  }
  const wanted = title?.toLowerCase();
  const found = products.filter(
    (product) =>
      (categoryId === undefined || product.categoryId === categoryId) &&
      (wanted === undefined || product.info.title.toLowerCase().includes(wanted)),
  );
  const rows = found.slice((page.data - 1) * limit.data, page.data * limit.data);
  return ok({
    products: rows.map(({ submitted: _, ...listed }) => listed),
    lastPage: Math.max(1, Math.ceil(found.length / limit.data)),
  });
}

function createProduct(
  { products }: OpenApiState,
  body: string,
  contentType: string | undefined,
  changed: () => void,
): Reply {
  if (contentType?.split(";")[0]?.trim() !== "application/json")
    return refuse(415, "Content-Type must be application/json");
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return refuse(400, "The body is no JSON");
  }
  const parsed = submittedProduct.safeParse(json);
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return { status: 422, body: { success: false, message } };
  }
  const { info, ...rest } = parsed.data;
  const id = randomUUID();
  products.push({
    id,
    type: rest.type,
    categoryId: rest.categoryId,
    info: {
      title: info.title,
      description: info.description ?? "",
      images: info.images ?? [],
      slug: `${info.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-${id.slice(0, 8)}`,
    },
    pricing: rest.pricing,
    createdAt: new Date().toISOString(),
    submitted: parsed.data,
  });
  changed();
  return ok({ id });
}
