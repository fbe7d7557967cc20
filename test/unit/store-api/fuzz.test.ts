import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Mutex } from "../../../src/basics/limits/mutex.ts";
import { answerOf } from "../../../src/store-api/answer-of.ts";
import {
  createProductEndpoint,
  type Endpoint,
  getOrderEndpoint,
  listOrdersEndpoint,
  listProductsEndpoint,
} from "../../../src/store-api/endpoints.ts";
import { type Order, type Product, productSchema } from "../../../src/store-api/schemas.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { alertMessage } from "../../../src/views/alerts/alert-message.ts";
import { orderCard } from "../../../src/views/orders/order-card.ts";
import { orderPage } from "../../../src/views/orders/order-page.ts";
import type { ViewContext } from "../../../src/views/parts/context.ts";
import { problemNotice } from "../../../src/views/parts/problem.ts";
import { productCard } from "../../../src/views/products/product-card.ts";
import { productPage } from "../../../src/views/products/product-page.ts";
import { makeOrder, makeProduct } from "../../sandbox/store/catalog.ts";
import { expectHarmless, patience, runs, tricks } from "../../support/fuzz.ts";
import { anyContext } from "../../support/views-support.ts";

const token = "tok_FUZZED_SECRET";
const paging = { page: 1, lastPage: 9, notes: [], session: "AbCdEfGhIjKl" };

/** A value of an unexpected type. JSON has no undefined and no NaN, but very long and very deep values. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  tricks,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, true, -0, 1e308, -1e308, 5e-324, 2 ** 53, -1, 0.1 + 0.2, "", [], {}, [[]], { "": {} }),
  fc.tuple(tricks, fc.integer({ min: 1, max: 300 })).map(([text, count]) => Array(count).fill(text)),
);

/** Some values at any depth are replaced, or all texts but ids. */
const spoilt = (make: (nth: number) => object): fc.Arbitrary<object> =>
  fc
    .tuple(fc.nat(50), fc.option(tricks), fc.array(fc.tuple(fc.nat(), odd, fc.option(tricks)), { maxLength: 4 }))
    .map(([nth, text, changes]) => {
      const row: object = JSON.parse(JSON.stringify(make(nth)), (key, value: unknown) =>
        text !== null && typeof value === "string" && key !== "id" ? text : value,
      );
      for (const [where, drawn, name] of changes) {
        // The same value may be drawn again; without a copy it would contain itself.
        const value = structuredClone(drawn);
        const places = placesIn(row);
        const [parent, key] = places[where % places.length] ?? [row, "id"];
        // JSON cannot set the length of a list.
        if (Array.isArray(parent) && name === "length") continue;
        Object.defineProperty(parent, name ?? key, { value, enumerable: true, configurable: true, writable: true });
      }
      return row;
    });

function placesIn(value: object): [object, string][] {
  return Object.entries(value).flatMap(([key, inner]): [object, string][] => [
    [value, key],
    ...(typeof inner === "object" && inner !== null ? placesIn(inner) : []),
  ]);
}

const answers = (key: string, make: (nth: number) => object): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(spoilt(make), { maxLength: 12 }), odd, fc.constantFrom("list", "list", "single", "created"))
    .map(([rows, lastPage, kind]) => {
      const data = kind === "list" ? { [key]: rows, lastPage } : (rows[0] ?? { id: lastPage });
      return JSON.stringify({ success: true, data });
    });

const deep = (count: number) =>
  `{"success":true,"data":{"lastPage":1,"orders":[${"[".repeat(count)}${"]".repeat(count)}]}}`;
/** JSON allows these texts, but no store sends them. */
const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: answers("orders", makeOrder) },
  { weight: 4, arbitrary: answers("products", makeProduct) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
  { weight: 1, arbitrary: odd.map((message) => JSON.stringify({ success: false, message, errors: [message] })) },
  { weight: 1, arbitrary: odd.map((data) => JSON.stringify({ success: true, data })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["", " ", "null", "1e999", "[]", "{}", "<html>", "\ufeff{}", '{"success":true}', deep(20), deep(5_000)],
      '{"success":true,"success":false,"data":{"orders":[{"id":"a","id":"b","status":"x","status":["y"]}]}}',
      '{"__proto__":{"success":true},"success":true,"data":{"__proto__":{"orders":[{"id":"a"}]},"constructor":1}}',
      `{"success":true,"data":{"orders":[{"id":"a","pricing":{"total":${"9".repeat(1_000)}}}],"lastPage":-1e400}}`,
      `{"success":true,"data":{"orders":[{"id":"a","createdAt":${"1".repeat(400)}}],"lastPage":"0x10"}}`,
    ),
  },
);

/** Unchanged, padded beyond the size that is read at once, truncated, or with wrong bytes. */
const bodies: fc.Arbitrary<Buffer> = fc
  .tuple(
    texts,
    fc.constantFrom("whole", "whole", "whole", "cut", "bytes", "padded"),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, kind, changes]) => {
    const bytes = Buffer.from(text);
    const [[place] = [0]] = changes;
    if (kind === "cut") return bytes.subarray(0, place % (bytes.length + 1));
    if (kind === "padded") return Buffer.concat([Buffer.alloc(129 * 1024, 0x20), bytes]);
    if (kind === "bytes") for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  });

function expectSensible(row: Order | Product): void {
  expect(row.id.length).toBeGreaterThan(0);
  expect(row.id.length).toBeLessThanOrEqual(150);
  const at = row.createdAt;
  if (at !== undefined) expect(Number.isInteger(at) && Math.abs(at) <= 8.64e15).toBe(true);
  JSON.stringify(row, (key, value: unknown) => {
    // The price of an order's item may be unreadable.
    const mayBeNaN = key === "price" && "items" in row;
    if (typeof value === "number") expect(Number.isFinite(value) || mayBeNaN, key).toBe(true);
    if (typeof value === "string") expect(value.length, key).toBeLessThanOrEqual(4_000);
    expect(key).not.toMatch(/inventory|delivered|checkoutIp|__proto__|constructor/);
    return value;
  });
}

/** Accepts only a `StoreError` without secrets. */
function expectFailure(error: unknown, { locale }: ViewContext): void {
  if (!(error instanceof StoreError)) throw error;
  const { code, detail, retryAfterMs } = error;
  expect(`${error.message} ${detail}`).not.toContain(token);
  expect(detail ?? "").not.toMatch(/[\p{C}<>*`~|\\]/u);
  expect([...(detail ?? "")].length).toBeLessThanOrEqual(200);
  expectHarmless(problemNotice({ code, detail, retryAfterMs }, locale, "12345678"));
}

const statuses = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(201, 204, 302, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 599) },
);
const headers = fc.record(
  { "retry-after": fc.oneof(tricks, fc.nat().map(String)), date: fc.oneof(tricks, fc.date().map(String)) },
  { requiredKeys: [] },
);

describe("any answer of a store becomes a valid result or a StoreError:", () => {
  const fewer = { ...runs, numRuns: Math.ceil(runs.numRuns / 3) };
  async function expectValid<Data>(
    endpoint: Endpoint<Data>,
    check: (data: Data, ctx: ViewContext) => void,
    howMany: typeof runs = runs,
  ) {
    await fc.assert(
      fc.asyncProperty(bodies, statuses, headers, anyContext, async (body, status, sent, ctx) => {
        const answered = { status, headers: { ...sent }, body, fingerprint: undefined };
        await answerOf(answered, endpoint, token, new Mutex(), new AbortController().signal).then(
          ({ data }) => check(data, ctx),
          (error) => expectFailure(error, ctx),
        );
      }),
      howMany,
    );
  }

  it("a list of orders", patience, async () => {
    await expectValid(listOrdersEndpoint, ({ items, lastPage = 1 }, ctx) => {
      items.forEach(expectSensible);
      expect(lastPage).toBeGreaterThanOrEqual(1);
      expectHarmless(orderPage({ ...paging, filter: [], lastPage, items }, ctx));
      const orders = items.map(({ items: lines, pricing, ...order }) => {
        const titles = lines.map(({ productTitle, quantity }) => ({ title: productTitle, quantity }));
        return { ...order, items: titles, total: pricing.total };
      });
      if (orders.length > 0) expectHarmless(alertMessage(orders.slice(0, 25), ctx));
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("a list of products", patience, async () => {
    await expectValid(listProductsEndpoint, ({ items }, ctx) => {
      items.forEach(expectSensible);
      expectHarmless(productPage({ ...paging, items }, ctx));
      const [first] = items;
      if (first !== undefined) expectHarmless(productCard(first, ctx));
    });
  });

  it("one order", patience, async () => {
    const check = (order: Order, ctx: ViewContext) => {
      expectSensible(order);
      expectHarmless(orderCard(order, ctx));
    };
    await expectValid(getOrderEndpoint, check, fewer);
  });

  it("a creation", patience, async () => {
    await expectValid(createProductEndpoint, ({ id }) => expect(id.length).toBeLessThanOrEqual(150), fewer);
  });
});

it("a picture's link is measured as Discord measures it: a character beyond the first 65,536 counts twice", () => {
  const fits = `https://a.example/${"𐀀".repeat(1_015)}`;
  const row = { id: "1", info: { images: [`${fits}𐀀`, fits] } };

  expect(fits).toHaveLength(2_048);
  expect(productSchema.parse(row).info.images).toEqual([fits]);
});
