import { describe, expect, it } from "vitest";
import { historyDays, seedHistory } from "../demo/history.ts";
import { createShop } from "../sandbox/store/shop.ts";

const hourMs = 60 * 60_000;

function sold(from: number) {
  const shop = createShop(
    "token",
    () => from,
    () => undefined,
  );
  shop.seedProducts(9);
  seedHistory(shop, from);
  return shop.orders.map((order) => ({ ...order, at: new Date(order.createdAt) }));
}

/** How many fall to each name, the most first. */
function counted(names: readonly (string | number)[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

describe.each([
  ["a Monday evening", new Date(2026, 10, 23, 21, 30)],
  ["a New Year's night", new Date(2027, 0, 1, 0, 5)],
  ["the day on which clocks go on in Europe", new Date(2027, 2, 28, 12)],
])("the demo's history up to %s", (_, moment) => {
  const from = moment.getTime();
  const orders = sold(from);

  it("has orders on every day before, in the sequence of their time, and none that is still to come", () => {
    const times = orders.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThan(from);
    const days = counted(orders.map(({ at }) => at.toDateString()));
    const whole = days.filter(([day]) => day !== moment.toDateString());
    expect(whole).toHaveLength(historyDays - 1);
    expect(Math.min(...whole.map(([, count]) => count))).toBeGreaterThan(9);
  });

  it("sells more on weekends and in the evening, and of a few products", () => {
    const share = (fits: (at: Date) => boolean) => orders.filter(({ at }) => fits(at)).length / orders.length;
    expect(share((at) => [0, 5, 6].includes(at.getDay()))).toBeGreaterThan(0.47);
    expect(share((at) => at.getHours() >= 17)).toBeGreaterThan(0.5);
    const products = counted(orders.flatMap(({ items }) => items.map(({ productTitle }) => productTitle)));
    expect(products).toHaveLength(9);
    const three = products.slice(0, 3).reduce((sum, [, count]) => sum + count, 0);
    expect(three).toBeGreaterThan(orders.length * 0.6);
  });

  it("has some that were cancelled or paid back, and lets none of yesterday wait", () => {
    const old = orders.filter(({ at }) => from - at.getTime() > 24 * hourMs);
    const statuses = Object.fromEntries(counted(old.map(({ status }) => status)));
    expect(Object.keys(statuses).toSorted()).toEqual(["CANCELLED", "DELIVERED", "REFUNDED"]);
    expect(statuses.DELIVERED).toBeGreaterThan(old.length * 0.8);
  });

  it("has customers who come back, and totals that add up", () => {
    const customers = counted(orders.map(({ customer }) => customer.email));
    expect(customers.length).toBeGreaterThan(500);
    expect(customers[0]?.[1]).toBeGreaterThan(12);
    for (const { items, pricing } of orders) {
      const sum = items.reduce((all, { price, quantity }) => all + price * quantity, 0);
      expect(pricing.subtotal).toBeCloseTo(sum, 5);
      expect(pricing.total).toBeCloseTo(pricing.subtotal - pricing.discount, 5);
    }
  });
});
