import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Reply, SeenRequest } from "./faults.ts";
import { submittedProduct } from "./shapes.ts";
import type { Shop } from "./shop.ts";

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

/** See store-open-api 5. */
export function tokenOf(authorization = ""): string | undefined {
  const [scheme, token] = authorization.split(" ");
  return scheme === "Bearer" ? token : undefined;
}

/** Undefined if the request is not for a list. */
export function pageOf({ path, query }: Pick<SeenRequest, "path" | "query">): number | undefined {
  return path === ORDERS || path === PRODUCTS ? Number(query.page ?? 1) : undefined;
}

/** Carries out a request by the API document. `shop`: the shop of the request's token, if there is one. */
export function openApi(
  shop: Shop | undefined,
  request: SeenRequest,
  body: string,
  contentType: string | undefined,
  changed: () => void,
): Reply {
  if (shop === undefined) {
    // Real services may leak such texts. A client that prints bodies of errors would print them.
    const message = `Refused-Body-Noise: ${request.authorization} at verify (/srv/store/auth.js:12) <b>key=SECRET-NOISE</b>`;
    return refuse(401, message);
  }
  if (request.path === PRODUCTS && request.method === "GET") return listProducts(shop, request.query);
  if (request.path === PRODUCTS && request.method === "POST") return createProduct(shop, body, contentType, changed);
  if (request.path === ORDERS && request.method === "GET") return listOrders(shop, request.query);
  if (request.path.startsWith(`${ORDERS}/`) && request.method === "GET") {
    return getOrder(shop, decodeURIComponent(request.path.slice(ORDERS.length + 1)));
  }
  return refuse(404, "Cannot find this path");
}

function listOrders(shop: Shop, query: SeenRequest["query"]): Reply {
  const { book, honours, rowsPerPage } = shop;
  const page = pageNumber.safeParse(query.page);
  const limit = pageSize.safeParse(rowsPerPage === undefined ? query.limit : undefined);
  if (!page.success) return refuse(400, "page must be an integer of at least 1");
  if (!limit.success) return refuse(400, `limit must be an integer between 1 and ${MOST_PER_PAGE}`);
  const statuses = honours.status ? query.status?.split(",") : undefined;
  const email = honours.email ? query.email : undefined;
  const filters = { ...(statuses === undefined ? {} : { statuses }), ...(email === undefined ? {} : { email }) };
  const { orders, lastPage } = book.page(filters, page.data, rowsPerPage ?? limit.data);
  return ok({ orders, lastPage });
}

function getOrder({ book }: Shop, id: string): Reply {
  if (!z.guid().safeParse(id).success) return refuse(400, "orderId must be a UUID");
  const order = book.find(id);
  return order === undefined ? refuse(404, "Order not found") : ok(order);
}

function listProducts({ products, rowsPerPage }: Shop, query: SeenRequest["query"]): Reply {
  const page = pageNumber.safeParse(query.page);
  const limit = pageSize.safeParse(rowsPerPage === undefined ? query.limit : undefined);
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
  const size = rowsPerPage ?? limit.data;
  const rows = found.slice((page.data - 1) * size, page.data * size).map(({ submitted: _, ...listed }) => listed);
  return ok({
    products: rows,
    lastPage: Math.max(1, Math.ceil(found.length / size)),
  });
}

function createProduct(
  { products, now }: Shop,
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
    createdAt: new Date(now()).toISOString(),
    submitted: parsed.data,
  });
  changed();
  return ok({ id });
}
