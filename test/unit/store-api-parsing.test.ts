import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { errors } from "undici";
import { describe, expect, it } from "vitest";
import { ignoredFilters } from "../../src/store-api/capabilities.ts";
import { readPageRows } from "../../src/store-api/page-rows.ts";
import { cleanDetail, readRefusal } from "../../src/store-api/refusal.ts";
import { orderSchema, productSchema } from "../../src/store-api/schemas.ts";
import { transportFault } from "../../src/store-api/transport-fault.ts";

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

  it("may have a number as its id, which is read as text (0.1.0: it was left out, and never announced)", () => {
    expect(orderSchema.parse({ id: 512 }).id).toBe("512");
    expect(productSchema.parse({ id: 0 }).id).toBe("0");
  });

  it("is valid with an invalid subtotal or discount, but not with an invalid total (0.1.0: it was left out, and never announced)", () => {
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
    const items = [null, good, "Key", { ...good, price: "abc" }, { ...good, productTitle: {} }];

    const order = orderSchema.parse({ id: "o1", status: 7, customer: "Ana", items, paymentMethod: [1] });

    expect(order).toMatchObject({ status: "7", customer: { email: "", name: "" }, paymentMethod: "" });
    expect(order.items).toEqual([good, { ...good, productTitle: "" }]);
    expect(orderSchema.parse({ id: "o1", items: "none" }).items).toEqual([]);
    expect(orderSchema.safeParse({ id: "o1", status: {} }).success).toBe(false);
    expect(orderSchema.safeParse({ id: "o1", pricing: "5" }).success).toBe(false);
  });

  it("loses every undocumented field", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (goods, key) => {
        const known = new Set(["productId", "productTitle", "quantity", "price"]);
        fc.pre(!known.has(key));

        const { items } = orderSchema.parse({ id: "o1", items: [{ [key]: goods, inventory: goods }] });

        expect(items).toEqual([{ productId: "", productTitle: "", quantity: 1, price: 0 }]);
      }),
    );
  });
});

describe("a product", () => {
  it("needs nothing but its id", () => {
    expect(productSchema.parse({ id: "p1", pricing: { price: "9.9", comparation: null } })).toEqual({
      id: "p1",
      type: "",
      categoryId: "",
      info: { title: "", description: "", images: [], slug: "" },
      pricing: { price: 9.9 },
      createdAt: undefined,
    });
  });

  it("is valid with odd descriptive values, but not with an invalid price", () => {
    const info = { title: 5, description: {}, images: [null, "a.png", 3] };
    expect(productSchema.parse({ id: "p1", info, type: [] })).toMatchObject({
      info: { title: "5", description: "", images: ["a.png"] },
      type: "",
    });
    expect(productSchema.parse({ id: "p1", info: "none", pricing: { price: "" } })).toMatchObject({
      info: { title: "", images: [] },
      pricing: { price: 0 },
    });
    expect(productSchema.safeParse({ id: "p1", pricing: { price: "abc" } }).success).toBe(false);
  });

  it("keeps as many images as a card shows, and none that Discord refuses", () => {
    const { images } = productSchema.parse({ id: "p1", info: { images: Array(9_000).fill("a") } }).info;
    expect(images).toHaveLength(50);
    expect(productSchema.parse({ id: "p1", info: { images: ["x".repeat(2_049), "y"] } }).info.images).toEqual(["y"]);
  });
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

  it("is read without parsing the other fields next to the list", async () => {
    const never = () => {
      throw new Error("all of its fields were listed");
    };
    const data = new Proxy({ orders: [{ id: "o1" }], lastPage: 3 }, { ownKeys: never });

    expect(await read(data)).toMatchObject({ items: [{ id: "o1" }], lastPage: 3 });
  });

  it("counts every row, valid or not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.jsonValue(), fc.record({ id: fc.uuid() }))), async (rows) => {
        const page = await read({ orders: rows });
        expect((page?.items.length ?? 0) + (page?.bad.length ?? 0)).toBe(rows.length);
      }),
    );
  });

  it("is invalid without a list, or with a last page that is no number", async () => {
    for (const data of [undefined, null, [], {}, { orders: {} }, { orders: [], lastPage: "many" }]) {
      expect(await read(data)).toBeUndefined();
    }
  });
});

describe("the filters that an answer shows as ignored", () => {
  const order = (status: string) => orderSchema.parse({ id: "o", status, customer: { email: "a@example.com" } });
  const two = [order("PAID"), order("PAID")];

  it.each([
    [{ statuses: ["PENDING"] }, [order("pending")], 1, []],
    [{ statuses: ["PENDING"] }, two, 1, ["status"]],
    [{ statuses: [] }, two, 1, []],
    [{ email: "A@Example.com" }, two, 1, []],
    [{ email: "b@example.com" }, two, 1, ["email"]],
    [{ limit: 1 }, two, 1, ["limit"]],
    [{ limit: 2 }, two, 5, []],
    [{ limit: 3 }, two, 5, ["limit"]],
    [{ limit: 3, page: 5 }, two, 5, []],
    [{ limit: 3 }, [], 5, []],
  ])("%j, answered with %j of %i pages, are %j", (query, items, lastPage, ignored) => {
    expect(ignoredFilters(query, { items, lastPage, skipped: 0 })).toEqual(ignored);
  });

  it("count rows that were left out", () => {
    expect(ignoredFilters({ limit: 3 }, { items: two, lastPage: 5, skipped: 1 })).toEqual([]);
  });
});

describe("the API's own words", () => {
  it("become one line without markup or control characters, of at most 200 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (words) => {
        const line = cleanDetail(words);
        expect([...line].length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/[\p{C}<>*`~|\\]/u);
      }),
    );
    expect(cleanDetail(`${"é".repeat(300)}`)).toHaveLength(200);
  });

  it.each([
    [{ message: "No" }, "No"],
    [
      { message: ["title is short", "price is low"], error: "Bad Request", statusCode: 400 },
      "title is short; price is low",
    ],
    [{ message: { title: ["is short", "is odd"] } }, "title: is short; is odd"],
    [{ errors: [{ message: "No" }, { message: "Never" }] }, "No; Never"],
    [{ errors: ["No"] }, "No"],
    [{ errors: { title: ["is short"], price: ["is low"] } }, "title: is short; price: is low"],
    [{ message: "Validation failed", errors: [{ msg: "No", value: "GOODS" }] }, "Validation failed; No"],
    [{ error: "No" }, "No"],
    [{ error: { code: "E1", message: "No" } }, "No"],
    [{ error: { code: "OUT_OF_STOCK" } }, "OUT_OF_STOCK"],
    [{ error: [{ message: "No" }] }, "No"],
    [{ success: false, data: { message: "No", goods: "GOODS" } }, "No"],
    [{ title: "Bad Request", detail: "No" }, "No"],
    [{ title: "One or more errors", errors: { Title: ["No"] } }, "Title: No"],
    [{ title: "No" }, "No"],
    ["No", "No"],
    [{ message: "Not Found", statusCode: 404 }, undefined],
    [{ message: "<!DOCTYPE html><style>a {}</style><p>No</p>" }, undefined],
    [{ message: 5, data: "GOODS", goods: ["GOODS"] }, undefined],
    [null, undefined],
  ])("are found in %j", (body, detail) => {
    expect(readRefusal(body, "tok_secret").detail).toBe(detail);
  });

  it("are read from any body safely, no matter how deeply nested", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect((readRefusal({ message: json, errors: json }, "tok_secret").detail ?? "").length).toBeLessThanOrEqual(
          400,
        );
      }),
    );
    const depth = 100_000;

    const deep: unknown = JSON.parse(`{"errors":${"[".repeat(depth)}${"]".repeat(depth)}}`);

    expect(readRefusal(deep, "tok_secret")).toEqual({ code: "invalid" });
  });
});

describe("a failure below HTTP", () => {
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
  ] as const)("%s: whether the request can have left is told", (_, error, code, neverSent) => {
    expect(transportFault(error)).toMatchObject({ code, neverSent });
  });
});
