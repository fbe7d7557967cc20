import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { errors } from "undici";
import { describe, expect, it } from "vitest";
import { readPageRows } from "../../../src/store-api/page-rows.ts";
import { readRefusal } from "../../../src/store-api/read-refusal.ts";
import { orderSchema, productSchema } from "../../../src/store-api/schemas.ts";
import { transportFault } from "../../../src/store-api/transport-fault.ts";

describe("an order", () => {
  it("needs nothing but its id", () => {
    const bare = {
      id: "o1",
      status: "",
      customer: { email: "", name: "" },
      items: [],
      pricing: { subtotal: 0, discount: 0, total: 0 },
      paymentMethod: "",
      createdAt: undefined,
    };
    expect(orderSchema.parse({ id: "o1" })).toEqual(bare);

    const nulls = Object.fromEntries(Object.keys(bare).map((key) => [key, null]));
    expect(orderSchema.parse({ ...nulls, id: "o1" })).toEqual(bare);
    const texts = ["", "x".repeat(151), "..", "a\u0000b", "\ud800"];
    for (const id of [...texts, undefined, null, {}, true, 1.5, 2 ** 53, Number.NaN])
      expect(orderSchema.safeParse({ id }).success).toBe(false);
    expect(orderSchema.safeParse({}).success).toBe(false);
  });

  it("may have a number as its id, or an invalid subtotal or discount, but no invalid total (0.1.0: it was left out, and never announced)", () => {
    expect(orderSchema.parse({ id: 512 }).id).toBe("512");
    const pricing = { subtotal: "R$ 5,00", discount: {}, total: 5 };
    expect(orderSchema.parse({ id: "o1", pricing }).pricing).toEqual({ subtotal: 0, discount: 0, total: 5 });
    expect(orderSchema.safeParse({ id: "o1", pricing: { total: "R$ 5,00" } }).success).toBe(false);
  });

  it("keeps only the shortened texts in memory, not the originals", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const order = (index: number) =>
      orderSchema.parse(JSON.parse(`{"id":"o${index}","paymentMethod":"${"é".repeat(20_000)}"}`));
    order(0);
    collect();
    const before = process.memoryUsage().heapUsed;
    const orders = Array.from({ length: 500 }, (_, index) => order(index));

    collect();

    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5e6);
    expect(orders[499]?.paymentMethod).toBe("é".repeat(500));
  });

  it("may have numeric strings as numbers, but no other texts; blank ones have defaults", () => {
    const pricing = { subtotal: "", discount: "1e3", total: "12.50" };
    const items = [
      { quantity: "3", price: " 4 " },
      { quantity: "", price: "  " },
    ];
    expect(orderSchema.parse({ id: "o1", pricing, items })).toMatchObject({
      pricing: { subtotal: 0, discount: 1_000, total: 12.5 },
      items: [
        { quantity: 3, price: 4 },
        { quantity: 1, price: 0 },
      ],
    });
    for (const total of ["abc", "12,50", "0x10", "1e999", true, {}, Number.NaN]) {
      expect(orderSchema.safeParse({ id: "o1", pricing: { total } }).success).toBe(false);
    }
  });

  it.each([
    [1_700_000_000, 1_700_000_000_000],
    [1_700_000_000_123, 1_700_000_000_123],
    ["1700000000", 1_700_000_000_000],
    ["2023-11-14 22:13:20", 1_700_000_000_000],
    [0, undefined],
    [1e300, undefined],
    [Number.NaN, undefined],
    ["27/11/2025 10:00", undefined],
    [{}, undefined],
    [null, undefined],
  ])("created at %j reads as %j", (createdAt, expected) => {
    expect(orderSchema.parse({ id: "o1", createdAt }).createdAt).toBe(expected);
    expect(productSchema.parse({ id: "p1", createdAt }).createdAt).toBe(expected);
  });

  it("keeps no more of a text than is ever shown, and has no status of that length", () => {
    const long = "é😀".repeat(400);
    const order = orderSchema.parse({
      id: "o1",
      customer: { email: long, name: long },
      items: [{ productId: long, productTitle: long }],
      paymentMethod: long,
    });
    const { customer, items, paymentMethod } = order;
    const texts = [...Object.values(customer), items[0]?.productId, items[0]?.productTitle, paymentMethod];

    for (const text of texts) {
      expect(long.startsWith(text ?? "-")).toBe(true);
      expect(text?.length).toBeGreaterThan(497);
      expect(text?.length).toBeLessThanOrEqual(500);
      expect(text?.isWellFormed()).toBe(true);
    }
    expect(orderSchema.safeParse({ id: "o1", status: "x".repeat(100) }).success).toBe(true);
    expect(orderSchema.safeParse({ id: "o1", status: "x".repeat(101) }).success).toBe(false);
    expect(orderSchema.parse({ id: "o1", items: Array(100_000).fill({}) }).items).toHaveLength(500);
  });

  it("is valid with odd descriptive values, and loses malformed items one by one", () => {
    const good = { productId: "p1", productTitle: "Key", quantity: 1, price: 5 };
    const items = [null, good, "Key", { ...good, quantity: "abc" }, { ...good, productTitle: {} }];

    const order = orderSchema.parse({ id: "o1", status: 7, customer: "Ana", items, paymentMethod: [1] });

    expect(order).toMatchObject({ status: "7", customer: { email: "", name: "" }, paymentMethod: "" });
    expect(order.items).toEqual([good, { ...good, productTitle: "" }]);
    expect(orderSchema.parse({ id: "o1", items: "none" }).items).toEqual([]);
    // Before: the order was shown without this item.
    expect(orderSchema.parse({ id: "o1", items: [{ ...good, price: "5,00" }] }).items).toEqual([
      { ...good, price: Number.NaN },
    ]);
    expect(orderSchema.safeParse({ id: "o1", status: {} }).success).toBe(false);
    expect(orderSchema.safeParse({ id: "o1", pricing: "5" }).success).toBe(false);
  });
});

it("a product needs nothing but its id; odd texts are left out, but a price must be a number", () => {
  const bare = { type: "", categoryId: "", createdAt: undefined };
  expect(productSchema.parse({ id: "p1", pricing: { price: "9.9", comparation: null } })).toEqual({
    ...bare,
    id: "p1",
    info: { title: "", description: "", images: [], slug: "" },
    pricing: { price: 9.9 },
  });
  const odd = { title: 5, description: {}, images: [null, "a.png", 3, "x".repeat(2_049)] };
  expect(productSchema.parse({ id: "p1", info: odd, type: [] }).info).toEqual({
    title: "5",
    description: "",
    images: ["a.png"],
    slug: "",
  });
  expect(productSchema.parse({ id: "p1", info: { images: Array(9_000).fill("a") } }).info.images).toHaveLength(50);
  expect(productSchema.parse({ id: "p1", info: "none", pricing: { price: "" } })).toMatchObject({
    info: { title: "", images: [] },
    pricing: { price: 0 },
  });
  expect(productSchema.safeParse({ id: "p1", pricing: { price: "abc" } }).success).toBe(false);
});

describe("a page", () => {
  const read = (data: unknown) => readPageRows(data, "orders", orderSchema);

  it("has a last page of at least 1, even if the API names another", async () => {
    const cases = { "1": 1, "7": "7", "2": 2.9, "1000000": 1e300 };
    for (const [expected, lastPage] of Object.entries(cases)) {
      expect((await read({ orders: [], lastPage }))?.lastPage).toBe(Number(expected));
    }
    for (const lastPage of [0, -4, "0"]) expect((await read({ orders: [], lastPage }))?.lastPage).toBe(1);
    for (const lastPage of [undefined, null, ""])
      expect((await read({ orders: [], lastPage }))?.lastPage).toBeUndefined();
  });

  it("is invalid without a list, or with a last page that is no number", async () => {
    for (const data of [undefined, null, [], {}, { orders: {} }, { orders: [], lastPage: "many" }]) {
      expect(await read(data)).toBeUndefined();
    }
  });
});

it.each([
  [{ message: "No" }, "No"],
  [
    { message: ["title is short", "price is low"], error: "Bad Request", statusCode: 400 },
    "title is short; price is low",
  ],
  [{ message: { title: ["is short", "is odd"] } }, "title: is short; is odd"],
  [{ errors: [{ message: "No" }, { message: "Never" }] }, "No; Never"],
  [{ errors: { title: ["is short"], price: ["is low"] } }, "title: is short; price: is low"],
  [{ message: "Validation failed", errors: [{ msg: "No", value: "GOODS" }] }, "Validation failed; No"],
  [{ error: "No" }, "No"],
  [{ error: { code: "E1", message: "No" } }, "No"],
  [{ error: { code: "OUT_OF_STOCK" } }, "OUT_OF_STOCK"],
  [{ success: false, data: { message: "No", goods: "GOODS" } }, "No"],
  [{ title: "One or more errors", errors: { Title: ["No"] } }, "Title: No"],
  ["No", "No"],
  [{ message: "Not Found", statusCode: 404 }, undefined],
  [{ message: "<!DOCTYPE html><style>a {}</style><p>No</p>" }, undefined],
  [{ message: 5, data: "GOODS", goods: ["GOODS"] }, undefined],
  [null, undefined],
])("the API's own words are found in %j", (body, detail) => {
  expect(readRefusal(body, "tok_secret").detail).toBe(detail);
});

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const refused = systemError("ECONNREFUSED", "connect");
const reset = systemError("ECONNRESET", "read");

it.each([
  ["a connect time-out", new errors.ConnectTimeoutError(), "unavailable", true],
  ["a refused connection", refused, "unavailable", true],
  ["a name that does not resolve", systemError("EAI_AGAIN", "getaddrinfo"), "unavailable", true],
  ["several addresses that all refuse", new AggregateError([refused, refused]), "unavailable", true],
  ["several addresses, one of them reset", new AggregateError([refused, reset]), "unavailable", false],
  ["a reset connection", reset, "unavailable", false],
  ["the other side closing", new errors.SocketError("other side closed"), "unavailable", false],
  ["headers without end", new errors.HeadersOverflowError(), "malformed", false],
] as const)("a failure below HTTP %s: whether the request can have left is told", (_, error, code, neverSent) => {
  expect(transportFault(error)).toMatchObject({ code, neverSent });
});
