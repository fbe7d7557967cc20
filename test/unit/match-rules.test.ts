import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/guilds/rule.ts";
import { type Condition, misfit, type OrderForRules, rulesFor, statusesOf } from "../../src/routing/match-rules.ts";

const anyOrder: Rule = { id: "a", name: "Any", channelId: "1", style: "staff" };
const rule = (more: Partial<Rule>): Rule => ({ ...anyOrder, ...more });
const order = (more: Partial<OrderForRules> = {}): OrderForRules => ({
  status: "PAID",
  paymentMethod: "CREDIT_CARD",
  pricing: { subtotal: 30, discount: 0, total: 29.9 },
  items: [
    { productId: "hat", productTitle: "Hat", quantity: 2 },
    { productId: "cap", productTitle: "Cap", quantity: 1 },
  ],
  ...more,
});
const categories = new Map([["hat", "clothes"]]);
const asNew = { isNew: true, isEntering: true };
const first = (route: Partial<Rule>, of: OrderForRules = order(), event = asNew) =>
  misfit(rule(route), of, categories, event);

describe("a rule fits", () => {
  it.each<[string, Partial<Rule>, Partial<OrderForRules>?]>([
    ["every new order, without conditions", {}],
    ["a status in any capitals", { status: " paid " }],
    ["a product by its id", { product: { id: "cap", title: "called otherwise by now" } }],
    [
      "a product by its title, where the order has no id of it",
      { product: { id: "hat", title: "HAT " } },
      { items: [{ productId: "", productTitle: "hat", quantity: 1 }] },
    ],
    ["the category of any of its products", { category: { id: "clothes", name: "" } }],
    ["a part of the payment method, in any capitals", { method: "credit" }],
    ["a total that is the least", { from: 29.9 }],
    ["a total that is the most", { to: 29.9 }],
    [
      "a total as binary fractions have it",
      { from: 0.3, to: 0.3 },
      { pricing: { ...order().pricing, total: 0.1 + 0.2 } },
    ],
    ["a least total as binary fractions have it", { from: 0.8 }, { pricing: { ...order().pricing, total: 0.7 + 0.1 } }],
    ["the pieces of all products together", { items: 3 }],
  ])("%s", (_, route, more) => {
    expect(first(route, order(more))).toBeUndefined();
  });
});

describe("a rule names the first thing that an order lacks:", () => {
  it.each<[Condition, Partial<Rule>, Partial<OrderForRules>?]>([
    ["status", { status: "PENDING", product: { id: "none", title: "" } }],
    ["product", { product: { id: "none", title: "Hat" }, method: "PIX" }],
    ["product", { product: { id: "", title: "" } }],
    ["category", { category: { id: "shoes", name: "" }, method: "PIX" }],
    [
      "category",
      { category: { id: "clothes", name: "" } },
      { items: [{ productId: "cap", productTitle: "", quantity: 1 }] },
    ],
    ["method", { method: "PIX", from: 100 }],
    ["from", { from: 29.9001, to: 1 }],
    ["to", { to: 29.8999, items: 9 }],
    ["items", { items: 4 }],
  ])("%s of %j", (lack, route, more) => {
    expect(first(route, order(more))).toBe(lack);
  });
});

describe("the event of an order", () => {
  it.each<[string, Partial<Rule>, boolean, boolean, Condition | undefined]>([
    ["a rule without a status is for new orders", {}, true, false, undefined],
    ["and not for those that rang before", {}, false, true, "event"],
    ["a rule with one is for orders that become it", { status: "PAID" }, false, true, undefined],
    ["and not for those that were in it before", { status: "PAID" }, true, false, "event"],
  ])("%s", (_, route, isNew, isEntering, expected) => {
    expect(first(route, order(), { isNew, isEntering })).toBe(expected);
  });
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
  const { staff, feeds } = rulesFor(routes, order(), categories, asNew);
  expect(staff?.id).toBe("3");
  expect(feeds.map(({ id }) => id)).toEqual(["2", "6"]);
  expect(rulesFor(routes.slice(0, 2), order(), categories, asNew).staff).toBeUndefined();
});

it("each status that rules name is listed once", () => {
  const routes = [rule({ status: "PAID" }), rule({}), rule({ status: "paid " }), rule({ status: "SHIPPED" })];
  expect(statusesOf(routes)).toEqual(["PAID", "SHIPPED"]);
  expect(statusesOf(undefined)).toEqual([]);
});

it("a rule fits exactly the orders that each of its conditions fits alone", () => {
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
