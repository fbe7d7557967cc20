import fc from "fast-check";
import { expect, it } from "vitest";
import type { Rule } from "../../../src/guilds/rule.ts";
import { type Condition, misfit, type OrderForRules, rulesFor, statusesOf } from "../../../src/routing/match-rules.ts";

const rule = (more: Partial<Rule>): Rule => ({ id: "a", name: "Any", channelId: "1", style: "staff", ...more });
const order: OrderForRules = {
  status: "PAID",
  paymentMethod: "CREDIT_CARD",
  pricing: { subtotal: 30, discount: 0, total: 29.9 },
  items: [
    { productId: "hat", productTitle: "Hat", quantity: 2 },
    { productId: "cap", productTitle: "Cap", quantity: 1 },
  ],
};
const ofTotal = (total: number) => ({ pricing: { ...order.pricing, total } });
const withoutId = { items: [{ productId: "", productTitle: "hat", quantity: 1 }] };
const onlyCap = { items: [{ productId: "cap", productTitle: "", quantity: 1 }] };
const categories = new Map([["hat", "clothes"]]);
const asNew = { isNew: true, isEntering: true };
const first = (route: Partial<Rule>, more: Partial<OrderForRules> = {}, event = asNew) =>
  misfit(rule(route), { ...order, ...more }, categories, event);

it.each<[string, Partial<Rule>, Partial<OrderForRules>?]>([
  ["without conditions", {}],
  ["a status in any capitals", { status: " paid " }],
  ["a product by its id", { product: { id: "cap", title: "renamed" } }],
  ["a product by its title if the order has no id", { product: { id: "hat", title: "HAT " } }, withoutId],
  ["the category of any of its products", { category: { id: "clothes", name: "" } }],
  ["a category that a person pasted in capitals", { category: { id: "CLOTHES", name: "" } }],
  ["a part of the payment method, in any capitals", { method: "credit" }],
  ["a total that is the least", { from: 29.9 }],
  ["a total that is the most", { to: 29.9 }],
  ["totals as binary fractions have them", { from: 0.3, to: 0.3 }, ofTotal(0.1 + 0.2)],
  ["a least total as binary fractions have it", { from: 0.8 }, ofTotal(0.7 + 0.1)],
  ["the pieces of all products together", { items: 3 }],
])("a rule matches a new order: %s", (_, route, more) => {
  expect(first(route, more)).toBeUndefined();
});

it.each<[Condition, Partial<Rule>, Partial<OrderForRules>?]>([
  ["status", { status: "PENDING", product: { id: "none", title: "" } }],
  ["product", { product: { id: "none", title: "Hat" }, method: "PIX" }],
  ["product", { product: { id: "", title: "" } }],
  ["category", { category: { id: "shoes", name: "" }, method: "PIX" }],
  ["category", { category: { id: "clothes", name: "" } }, onlyCap],
  ["method", { method: "PIX", from: 100 }],
  ["from", { from: 29.9001, to: 1 }],
  ["to", { to: 29.8999, items: 9 }],
  ["items", { items: 4 }],
])("the first condition that an order does not meet is its %s: %j", (condition, route, more) => {
  expect(first(route, more)).toBe(condition);
});

it.each<[Partial<Rule>, boolean, boolean, Condition | undefined]>([
  [{}, true, false, undefined],
  [{}, false, true, "event"],
  [{ status: "PAID" }, false, true, undefined],
  [{ status: "PAID" }, true, false, "event"],
])("a rule %j and an order that is new (%s) or enters its status (%s): %s", (route, isNew, isEntering, expected) => {
  expect(first(route, {}, { isNew, isEntering })).toBe(expected);
});

it("the first matching staff rule wins, and every matching feed counts as well", () => {
  const routes = [
    rule({ id: "1", status: "PENDING" }),
    rule({ id: "2", style: "feed" }),
    rule({ id: "3", method: "card" }),
    rule({ id: "4" }),
    rule({ id: "5", style: "feed", items: 9 }),
    rule({ id: "6", style: "feed", status: "PAID" }),
  ];
  const { staff, feeds } = rulesFor(routes, order, categories, asNew);
  expect([staff?.id, feeds.map(({ id }) => id)]).toEqual(["3", ["2", "6"]]);
  expect(rulesFor(routes.slice(0, 2), order, categories, asNew).staff).toBeUndefined();
});

it("each status that rules name is listed once", () => {
  expect(statusesOf(["PAID", undefined, "paid ", "SHIPPED"].map((status) => rule({ status })))).toEqual([
    "PAID",
    "SHIPPED",
  ]);
  expect(statusesOf(undefined)).toEqual([]);
});

it("a rule matches exactly the orders that each of its conditions matches alone", () => {
  const some = fc.record(
    {
      status: fc.constantFrom("PAID", "PENDING"),
      product: fc.constantFrom({ id: "hat", title: "" }, { id: "none", title: "" }),
      category: fc.constantFrom({ id: "clothes", name: "" }, { id: "shoes", name: "" }),
      method: fc.constantFrom("card", "PIX"),
      from: fc.constantFrom(1, 50),
      to: fc.constantFrom(1, 50),
      items: fc.constantFrom(1, 9),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(some, (conditions) => {
      const alone = Object.entries(conditions).map(([key, value]) => first({ [key]: value }) === undefined);
      expect(first(conditions) === undefined).toBe(alone.every(Boolean));
    }),
  );
});
