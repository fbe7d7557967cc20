import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exact, inexact } from "../../../src/basics/exact-amounts.ts";
import { type Sums, sumsSchema } from "../../../src/basics/stats.ts";
import { dayAfter, daysFrom, zoneOf } from "../../../src/basics/zones.ts";
import { forgetServer } from "../../../src/forget-server.ts";
import { spanOf } from "../../../src/reports/days.ts";
import { statsOf } from "../../../src/reports/stats-of.ts";
import { createStoredSums } from "../../../src/reports/stored-sums.ts";
import { createSumsOfOrders, together } from "../../../src/reports/sums-of-orders.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import { sized } from "../../support/sized.ts";
import { useStorage } from "../../support/use-storage.ts";

const statuses = ["PAID", "pending ", "PENDING", "REFUNDED", "Cancelado", "ON THE MOON", "delivered"];
const zones = ["UTC", "America/Sao_Paulo", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Europe/Lisbon"];
/** A week in which clocks are set in the Americas. */
const days = daysFrom("2026-10-28", "2026-11-04");

const orderIn = fc.record({
  id: fc.uuid(),
  status: fc.constantFrom(...statuses),
  total: fc.oneof(
    fc.integer({ min: -500, max: 1_000_000 }).map((cents) => cents / 100),
    fc.constantFrom(0.1, 0.2, 1e-8),
  ),
  paymentMethod: fc.constantFrom("PIX", "pix", "CREDIT_CARD", ""),
  createdAt: fc.option(
    fc.integer({ min: Date.parse("2026-10-26T00:00:00Z"), max: Date.parse("2026-11-07T00:00:00Z") }),
    { nil: undefined, freq: 20 },
  ),
  items: fc.array(
    fc.record({
      productId: fc.constantFrom("", "a", "b", "c"),
      productTitle: fc.constantFrom("Sun", "Moon", ""),
      quantity: fc.integer({ min: 1, max: 9 }),
      price: fc.constant(1),
    }),
    { maxLength: 3 },
  ),
});

type Drawn = Pick<Order, "id" | "status" | "paymentMethod" | "items"> & {
  readonly total: number;
  readonly createdAt: number | undefined;
};

const asOrder = ({ total, ...order }: Drawn): Order => ({
  ...order,
  customer: { email: "ana@example.com", name: "Ana" },
  pricing: { subtotal: total, discount: 0, total },
});

/** Calculates the same figures in another way: by the text of local time, and by decimals as texts. */
function recount(orders: readonly Order[], day: string, zone: string) {
  const local = (ms: number) => {
    const text = new Date(ms).toLocaleString("sv-SE", { timeZone: zone });
    return { day: text.slice(0, 10), hour: Number(text.slice(11, 13)) };
  };
  const decimal = (amounts: readonly number[]) => {
    const units = amounts.map((amount) => {
      const [whole = "0", fraction = ""] = Math.abs(amount).toFixed(8).split(".");
      return BigInt(whole + fraction) * (amount < 0 ? -1n : 1n);
    });
    return String(units.reduce((sum, unit) => sum + unit, 0n));
  };
  const here = orders.filter(({ createdAt }) => createdAt !== undefined && local(createdAt).day === day);
  const sold = here.filter(({ status }) => ["PAID", "ON THE MOON", "delivered"].includes(status));
  const lines = (of: readonly Order[], name: (order: Order) => string) =>
    Object.fromEntries(
      [...Map.groupBy(of, name)].map(([key, group]) => [
        key,
        { count: group.length, amount: decimal(group.map(({ pricing }) => pricing.total)) },
      ]),
    );
  const pieces = new Map<string, number>();
  for (const { productId, productTitle, quantity } of sold.flatMap(({ items }) => items)) {
    const key = productTitle || productId || "?";
    pieces.set(key, (pieces.get(key) ?? 0) + quantity);
  }
  return {
    orders: here.length,
    sold: { count: sold.length, amount: decimal(sold.map(({ pricing }) => pricing.total)) },
    statuses: lines(here, ({ status }) => status.trim().toUpperCase()),
    methods: lines(sold, ({ paymentMethod }) => paymentMethod.toUpperCase() || "?"),
    products: Object.fromEntries([...pieces].map(([key, count]) => [key, `${count}00000000`])),
    hours: Array.from(
      { length: 24 },
      (_, hour) => here.filter(({ createdAt = 0 }) => local(createdAt).hour === hour).length,
    ),
  };
}

const byName = (sums: Sums) => ({
  orders: sums.orders,
  sold: sums.sold,
  statuses: Object.fromEntries(sums.statuses.map(({ name, ...line }) => [name, line])),
  methods: Object.fromEntries(sums.methods.map(({ name, ...line }) => [name, line])),
  products: Object.fromEntries(sums.products.map(({ title, pieces }) => [title, pieces])),
  hours: sums.hours,
});

describe("daily sums", () => {
  it("are those of a recount by other means, in every zone, whatever the orders (fast-check prints its seed)", () => {
    fc.assert(
      fc.property(fc.array(orderIn, { maxLength: 80 }), fc.constantFrom(...zones), (drawn, name) => {
        const orders = drawn.map(asOrder);
        const zone = zoneOf(name);
        const adding = createSumsOfOrders(days, zone);
        for (let start = 0; start < orders.length; start += 7) adding.add(orders.slice(start, start + 7));
        const sums = adding.whole();
        for (const day of days) {
          const kept = sumsSchema.parse(JSON.parse(JSON.stringify(sums.get(day))));
          expect(byName(kept), `${name} ${day}`).toEqual(recount(orders, day, name));
        }
        expect(together([...sums.values()]).orders).toBe(
          days.flatMap((day) => sums.get(day)?.orders ?? 0).reduce((a, b) => a + b),
        );
      }),
      { numRuns: sized(40, 150) },
    );
  });

  it("count amounts exactly, and show them as they are", () => {
    const sum = Array.from({ length: 10 }, () => exact(0.1)).reduce((one, other) => one + other);
    expect(inexact(String(sum))).toBe(1);
    expect([Number.NaN, 1e300, -1e300, 0.07].map(exact)).toEqual([0n, 10n ** 23n, -(10n ** 23n), 7_000_000n]);
  });

  it("stay within 25 kB a day, name the most frequent, and lose no order", () => {
    const zone = zoneOf("UTC");
    const adding = createSumsOfOrders(["2026-11-01"], zone);
    const orders = Array.from({ length: 3_000 }, (_, index): Order => {
      const wide = "\u{1f600}".repeat(100);
      return asOrder({
        id: String(index),
        status: `${wide.slice(0, 20)}${index}`,
        total: 1e14,
        paymentMethod: `${index}${wide}`,
        createdAt: Date.parse("2026-11-01T00:00:00Z"),
        items: [{ productId: `${index}`.padStart(36, "x"), productTitle: `${index}${wide}`, quantity: 1, price: 1 }],
      });
    });
    adding.add(orders);
    const sums = adding.whole().get("2026-11-01");
    expect(Buffer.byteLength(JSON.stringify(sums))).toBeLessThan(25_000);
    for (const lines of [sums?.statuses, sums?.methods]) {
      expect(lines).toHaveLength(21);
      expect(lines?.reduce((whole, { count }) => whole + count, 0)).toBe(3_000);
    }
    expect([sums?.products.length, sums?.otherProducts]).toEqual([50, 2_950]);
  });
});

describe("figures of a period", () => {
  const zone = zoneOf("UTC");
  const noon = Date.parse("2026-11-21T12:00:00Z");
  const dayMs = 24 * 60 * 60_000;

  const storage = useStorage();

  function shop() {
    const world = {
      now: noon,
      isKept: true,
      reads: 0,
      token: "1",
      zone,
      onRead: (): void => undefined,
    };
    const orders = Array.from({ length: 400 }, (_, index) =>
      asOrder({
        id: `o${index}`,
        status: "PAID",
        total: 1,
        paymentMethod: "PIX",
        createdAt: noon - Math.floor(index / 5) * dayMs,
        items: [],
      }),
    );
    const storedSums = createStoredSums({
      storage,
      mayKeep: async () => (world.isKept ? [] : undefined),
      now: () => world.now,
    });
    const stats = (period: Parameters<typeof spanOf>[0]) =>
      statsOf({ guildId: "1", store: world.token, zone: world.zone }, spanOf(period, world.zone.dayOf(world.now)), {
        storedSums,
        now: () => world.now,
        run: (reading) => reading(new AbortController().signal),
        async read(page, limit) {
          world.reads += 1;
          world.onRead();
          const items = orders.slice((page - 1) * limit, page * limit);
          return { items, lastPage: Math.ceil(orders.length / limit), skipped: 0 };
        },
        waitMs: () => 0,
      });
    return { world, orders, storedSums, stats };
  }

  it("are read once, kept for ten minutes, and from a week later on for good", async () => {
    const { world, stats, orders } = shop();
    await stats("today");
    // The second page has only older orders.
    expect(world.reads).toBe(2);
    expect((await stats("week")).sums.orders).toBe(35);
    const { reads } = world;
    expect((await stats("week")).sumsBefore.orders).toBe(35);
    expect(world.reads).toBe(reads);
    orders.splice(6, 1);
    world.now += 9 * 60_000;
    expect((await stats("week")).sums.orders).toBe(35);
    // An order of yesterday is gone, which shows when yesterday is read again.
    world.now += 60_000;
    expect((await stats("week")).sums.orders).toBe(34);
    // The sums of today have only orders until the read. So they do not count after midnight, or if the clock is set back.
    world.now = noon + dayMs / 2 - 60_000;
    await stats("today");
    for (const minutes of [-5, 8]) {
      const before = world.reads;
      world.now += minutes * 60_000;
      await stats(minutes < 0 ? "today" : "yesterday");
      expect(world.reads).toBeGreaterThan(before);
    }
    world.now = noon + 10 * 60_000;
    // A day that had ended a week before it was read is not read again.
    orders.splice(0);
    world.now += 60 * 60_000;
    const { sums, sumsBefore } = await stats("week");
    expect([sums.orders, sumsBefore.orders]).toEqual([0, 30]);
  });

  it("are as old as the sums that can still change", async () => {
    const { world, stats } = shop();
    await stats("month");
    world.now += dayMs;
    const { reads } = world;
    // Most of the 60 days are final since yesterday.
    expect((await stats("month")).readAt).toBe(world.now);
    expect(world.reads - reads).toBeLessThan(reads);
    world.now += 5 * 60_000;
    expect((await stats("month")).readAt).toBe(world.now - 5 * 60_000);
  });

  it("say that today was not over, also if it ends while they are read", async () => {
    const { world, stats } = shop();
    world.now = noon + dayMs / 2 - 1;
    world.onRead = () => {
      world.now += 60_000;
    };
    expect((await stats("today")).openDay).toBe("2026-11-21");
  });

  it.each([
    ["2026-03-08", 23],
    ["2026-11-01", 25],
  ])("of a week have today, also where its clocks change (%s, of %i hours)", async (today, hours) => {
    const { world, stats, orders } = shop();
    world.zone = zoneOf("America/New_York");
    const hourMs = 60 * 60_000;
    const end = world.zone.startOf(dayAfter(today, 1));
    // In the middle of each hour, the newest first.
    orders.forEach((order, index) => {
      orders[index] = { ...order, createdAt: end - (index + 0.5) * hourMs };
    });
    world.now = end - 1;
    const { sums, sumsBefore, openDay, days } = await stats("week");
    expect([sums.orders, sumsBefore.orders, openDay]).toEqual([6 * 24 + hours, 7 * 24, today]);
    expect(days.at(-1)?.[1].orders).toBe(hours);
    world.now = end;
    expect((await stats("week")).openDay).toBe(dayAfter(today, 1));
  });

  it("are those of another store, or another zone, where it changes; and none of a server that is forgotten", async () => {
    const { world, stats, storedSums } = shop();
    await stats("week");
    const { reads } = world;
    world.token = "2";
    await stats("week");
    expect(world.reads).toBe(2 * reads);
    world.zone = zoneOf("Pacific/Kiritimati");
    expect((await stats("week")).zone).toBe("Pacific/Kiritimati");
    expect(world.reads).toBeGreaterThan(2 * reads);
    await forgetServer(storage, "1");
    world.isKept = false;
    await stats("week");
    const left = await storedSums.find(
      { guildId: "1", store: "2", zone: world.zone },
      daysFrom("2026-11-01", "2026-11-22"),
    );
    expect(left.size).toBe(0);
  });
});
