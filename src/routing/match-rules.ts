import { exact } from "../basics/exact-amounts.ts";
import { folded } from "../basics/folded.ts";
import type { Rule } from "../guilds/rule.ts";
import { sameStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";

export type OrderForRules = Pick<Order, "status" | "paymentMethod" | "pricing"> & {
  readonly items: readonly Pick<Order["items"][number], "productId" | "productTitle" | "quantity">[];
};

/** Keys are product ids. */
export type ProductCategories = ReadonlyMap<string, string>;

export interface RuleEvent {
  /** The order is new, and gets its alert now. */
  readonly isNew: boolean;
  /** Rules see the order in its present status for the first time. */
  readonly isEntering: boolean;
}

/** `event`: the order has just entered the rule's status. For a rule without a status: the order is new. */
export type Condition = "event" | "status" | "product" | "category" | "method" | "from" | "to" | "items";

/** The first condition that the order does not meet; undefined if the rule matches. */
export function misfit(
  rule: Rule,
  order: OrderForRules,
  categories: ProductCategories,
  { isNew, isEntering }: RuleEvent,
): Condition | undefined {
  const { status, product, category, method, from, to, items } = rule;
  const { total } = order.pricing;
  if (status !== undefined && !sameStatus(status, order.status)) return "status";
  if (status === undefined ? !isNew : !isEntering) return "event";
  const title = folded(product?.title ?? "");
  const isProduct = ({ productId, productTitle }: OrderForRules["items"][number]) =>
    productId === "" ? folded(productTitle) === title : productId === product?.id;
  if (product && !order.items.some(isProduct)) return "product";
  const isCategory = ({ productId }: OrderForRules["items"][number]) =>
    categories.get(productId)?.toLowerCase() === category?.id.toLowerCase();
  if (category && !order.items.some(isCategory)) return "category";
  if (method !== undefined && !folded(order.paymentMethod).includes(folded(method))) return "method";
  if (from !== undefined && exact(total) < exact(from)) return "from";
  if (to !== undefined && exact(total) > exact(to)) return "to";
  const pieces = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (items !== undefined && pieces < items) return "items";
  return undefined;
}

export interface MatchingRules {
  /** The first matching rule of this style. It chooses the channel of the alert, or of the message about the rule's status. */
  readonly staff: Rule | undefined;
  /** A product's category is unknown, and the first `staff` rule that may match depends on it. Then no `staff` rule applies. */
  readonly isUnsure: boolean;
  readonly feeds: readonly Rule[];
}

export function rulesFor(
  rules: readonly Rule[],
  order: OrderForRules,
  categories: ProductCategories,
  event: RuleEvent,
): MatchingRules {
  const fits = (rule: Rule) => misfit(rule, order, categories, event) === undefined;
  const isKnown = order.items.every(({ productId }) => categories.has(productId));
  const mayFit = (rule: Rule) => !isKnown && fits({ ...rule, category: undefined });
  const first = rules.find((rule) => rule.style === "staff" && (fits(rule) || mayFit(rule)));
  const isUnsure = first !== undefined && !fits(first);
  return {
    staff: isUnsure ? undefined : first,
    isUnsure,
    feeds: rules.filter((rule) => rule.style === "feed" && fits(rule)),
  };
}

export function statusesOf(rules: readonly Rule[] = []): readonly string[] {
  const named: string[] = [];
  for (const { status } of rules) {
    if (status !== undefined && !named.some((one) => sameStatus(one, status))) named.push(status);
  }
  return named;
}
