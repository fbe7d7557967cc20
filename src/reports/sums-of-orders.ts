import { exact } from "../basics/exact-amounts.ts";
import { blankName, otherNames, type Sums, type SumsLine } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, type Zone } from "../basics/zones.ts";
import { isSold, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";

const mostStatuses = 20;
const mostMethods = 20;
const mostProducts = 50;
/**
 * For one day, at most this many different statuses are counted, and as many payment methods and products. With that many, 60
 * days take some 40 MB (measured).
 */
const mostCounted = 1_000;
const longestName = 60;
const longestTitle = 80;

const named = (text: string, most: number) => text.trim().toWellFormed().slice(0, most).toWellFormed() || blankName;

type Counts = Map<string, { count: number; amount: bigint }>;

function count(counts: Counts, wanted: string, by: number, amount: bigint) {
  const name = counts.has(wanted) || counts.size < mostCounted ? wanted : otherNames;
  const line = counts.get(name);
  if (line === undefined) counts.set(name, { count: by, amount });
  else {
    line.count += by;
    line.amount += amount;
  }
}

function most(counts: Counts, limit: number): SumsLine[] {
  const sorted = [...counts].sort(
    ([name, { count: one }], [otherName, { count: other }]) =>
      Number(name === otherNames) - Number(otherName === otherNames) || other - one || (name < otherName ? -1 : 1),
  );
  const kept: Counts = new Map();
  for (const [index, [name, { count: by, amount }]] of sorted.entries()) {
    count(kept, index < limit ? name : otherNames, by, amount);
  }
  return [...kept].map(([name, line]) => ({ name, count: line.count, amount: String(line.amount) }));
}

const descending = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? 1 : -1);

class Adding {
  private orders = 0;
  private readonly sold = { count: 0, amount: 0n };
  private readonly statuses: Counts = new Map();
  private readonly methods: Counts = new Map();
  /** Pieces by title, because people know products by their titles. */
  private readonly products = new Map<string, bigint>();
  private otherProducts = 0;
  private readonly hours = new Array<number>(24).fill(0);

  order(order: Pick<Order, "status" | "pricing" | "paymentMethod" | "items">, hour: number) {
    const amount = exact(order.pricing.total);
    this.orders += 1;
    this.hours[hour] = (this.hours[hour] ?? 0) + 1;
    count(this.statuses, named(statusKey(order.status), longestName), 1, amount);
    if (!isSold(order.status)) return;
    this.sold.count += 1;
    this.sold.amount += amount;
    count(this.methods, named(order.paymentMethod.toUpperCase(), longestName), 1, amount);
    for (const { productId, productTitle, quantity } of order.items) {
      this.product(named(productTitle.trim() || productId, longestTitle), exact(quantity));
    }
  }

  private product(title: string, pieces: bigint) {
    const known = this.products.get(title);
    if (known !== undefined || this.products.size < mostCounted) this.products.set(title, (known ?? 0n) + pieces);
    else this.otherProducts += 1;
  }

  sums(sums: Sums) {
    this.orders += sums.orders;
    this.sold.count += sums.sold.count;
    this.sold.amount += BigInt(sums.sold.amount);
    for (const line of sums.statuses) count(this.statuses, line.name, line.count, BigInt(line.amount));
    for (const line of sums.methods) count(this.methods, line.name, line.count, BigInt(line.amount));
    for (const { title, pieces } of sums.products) this.product(title, BigInt(pieces));
    this.otherProducts += sums.otherProducts;
    for (const [hour, orders] of sums.hours.entries()) this.hours[hour] = (this.hours[hour] ?? 0) + orders;
  }

  whole(): Sums {
    const products = [...this.products].sort(
      ([title, one], [other, pieces]) => descending(one, pieces) || (title < other ? -1 : 1),
    );
    return {
      orders: this.orders,
      sold: { count: this.sold.count, amount: String(this.sold.amount) },
      statuses: most(this.statuses, mostStatuses),
      methods: most(this.methods, mostMethods),
      products: products.slice(0, mostProducts).map(([title, pieces]) => ({ title, pieces: String(pieces) })),
      otherProducts: this.otherProducts + Math.max(products.length - mostProducts, 0),
      hours: [...this.hours],
    };
  }
}

export function together(days: readonly Sums[]): Sums {
  const adding = new Adding();
  for (const sums of days) adding.sums(sums);
  return adding.whole();
}

/** `days` are consecutive, the earliest first. Orders of days that are not in `days` are left out. */
export function createSumsOfOrders(days: readonly CalendarDay[], zone: Zone) {
  const starts = [...days, ...days.slice(-1).map((last) => dayAfter(last, 1))].map(zone.startOf);
  const sums = days.map(() => new Adding());
  return {
    add(orders: readonly Order[]) {
      for (const order of orders) {
        const { createdAt } = order;
        if (createdAt === undefined) continue;
        sums[starts.findLastIndex((start) => createdAt >= start)]?.order(order, zone.hourOf(createdAt));
      }
    },
    whole: (): ReadonlyMap<CalendarDay, Sums> =>
      new Map(sums.map((adding, index) => [days[index] ?? "", adding.whole()])),
  };
}
