import { exact } from "../basics/amounts.ts";
import { folded } from "../basics/folded.ts";
import type { Route } from "../guilds/route.ts";
import { sameStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";

/** An order as rules look at it. */
export type RoutableOrder = Pick<Order, "status" | "paymentMethod" | "pricing"> & {
  readonly items: readonly Pick<Order["items"][number], "productId" | "productTitle" | "quantity">[];
};

/** Categories by the ids of products, as far as they are known. */
export type ProductCategories = ReadonlyMap<string, string>;

/** What has happened to an order: both at once where it is new in a status that rules name. */
export interface RouteEvent {
  /** It is alerted for the first time. */
  readonly isNew: boolean;
  /** It was not seen in its status before. */
  readonly isEntering: boolean;
}

/** What a rule asks of an order. */
export type Condition = "event" | "status" | "product" | "category" | "method" | "from" | "to" | "items";

/**
 * The first thing that a rule asks for and this order does not have; undefined where the rule fits. A rule that names a
 * status waits for orders that enter it, and one that names none for new orders.
 */
export function misfit(
  route: Route,
  order: RoutableOrder,
  categories: ProductCategories,
  { isNew, isEntering }: RouteEvent,
): Condition | undefined {
  const { status, product, category, method, from, to, items } = route;
  const { total } = order.pricing;
  if (status !== undefined && !sameStatus(status, order.status)) return "status";
  if (status === undefined ? !isNew : !isEntering) return "event";
  const title = folded(product?.title ?? "");
  const isProduct = ({ productId, productTitle }: RoutableOrder["items"][number]) =>
    productId === "" ? folded(productTitle) === title : productId === product?.id;
  if (product && !order.items.some(isProduct)) return "product";
  if (category && !order.items.some(({ productId }) => categories.get(productId) === category.id)) return "category";
  if (method !== undefined && !folded(order.paymentMethod).includes(folded(method))) return "method";
  if (from !== undefined && exact(total) < exact(from)) return "from";
  if (to !== undefined && exact(total) > exact(to)) return "to";
  const pieces = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (items !== undefined && pieces < items) return "items";
  return undefined;
}

/** Where an order goes. */
export interface Routing {
  /** The first rule that fits of those in the style of alerts. */
  readonly staff: Route | undefined;
  /** An earlier rule may fit, but the category of a product is not known. Then the order follows no rule. */
  readonly isUnsure: boolean;
  /** Every feed that fits. */
  readonly feeds: readonly Route[];
}

/** Where an order goes, by rules in their sequence. */
export function routesFor(
  routes: readonly Route[],
  order: RoutableOrder,
  categories: ProductCategories,
  event: RouteEvent,
): Routing {
  const fits = (route: Route) => misfit(route, order, categories, event) === undefined;
  const isKnown = order.items.every(({ productId }) => categories.has(productId));
  const mayFit = (route: Route) => !isKnown && fits({ ...route, category: undefined });
  const first = routes.find((route) => route.style === "staff" && (fits(route) || mayFit(route)));
  const isUnsure = first !== undefined && !fits(first);
  return {
    staff: isUnsure ? undefined : first,
    isUnsure,
    feeds: routes.filter((route) => route.style === "feed" && fits(route)),
  };
}

/** The statuses that rules wait for, each once. */
export function statusesOf(routes: readonly Route[] = []): readonly string[] {
  const named: string[] = [];
  for (const { status } of routes) {
    if (status !== undefined && !named.some((one) => sameStatus(one, status))) named.push(status);
  }
  return named;
}
