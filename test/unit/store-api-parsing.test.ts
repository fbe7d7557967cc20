import fc from "fast-check";
import { errors } from "undici";
import { describe, expect, it } from "vitest";
import { ignoredFilters } from "../../src/store-api/ignored-filters.ts";
import { cleanDetail } from "../../src/store-api/refusal.ts";
import { orderSchema, pageSchema, productSchema } from "../../src/store-api/schemas.ts";
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
      createdAt: "",
    };
    expect(orderSchema.parse({ id: "o1" })).toEqual(bare);
    const nulls = Object.fromEntries(Object.keys(bare).map((key) => [key, null]));
    expect(orderSchema.parse({ ...nulls, id: "o1" })).toEqual(bare);
    for (const id of [undefined, null, "", 5, "x".repeat(65)])
      expect(orderSchema.safeParse({ id }).success).toBe(false);
  });

  it("may give its numbers as strings, but not as nonsense", () => {
    const order = orderSchema.parse({
      id: "o1",
      pricing: { total: "12.50" },
      items: [{ quantity: "3", price: " 4 " }],
    });
    expect(order).toMatchObject({ pricing: { total: 12.5 }, items: [{ quantity: 3, price: 4 }] });
    for (const total of ["", "abc", "0x10", true, {}, Number.NaN]) {
      expect(orderSchema.safeParse({ id: "o1", pricing: { total } }).success).toBe(false);
    }
  });

  it("loses everything that the document does not have", () => {
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
      createdAt: "",
    });
  });
});

describe("a page", () => {
  const schema = pageSchema("orders", orderSchema);

  it("has a last page of at least 1, whatever the API says", () => {
    const cases = { "1": 1, "7": "7", "2": 2.9, "1000000": 1e300 };
    for (const [expected, lastPage] of Object.entries(cases)) {
      expect(schema.parse({ orders: [], lastPage }).lastPage).toBe(Number(expected));
    }
    for (const lastPage of [undefined, null, 0, -4, "0"]) {
      expect(schema.parse({ orders: [], lastPage }).lastPage).toBe(1);
    }
  });

  it("accounts for every row, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), fc.record({ id: fc.uuid() }))), (rows) => {
        const page = schema.parse({ orders: rows });
        expect(page.items.length + page.bad.length).toBe(rows.length);
      }),
    );
  });
});

describe("the filters that an answer shows as passed over", () => {
  const order = (status: string, email = "a@example.com") =>
    orderSchema.parse({ id: "o", status, customer: { email } });
  const page = (items: ReturnType<typeof order>[], lastPage = 1, skipped = 0) => ({ items, lastPage, skipped });

  it("are those that a row contradicts, letter case aside", () => {
    expect(ignoredFilters({ statuses: ["PENDING"] }, page([order("pending")]))).toEqual([]);
    expect(ignoredFilters({ statuses: ["PENDING"] }, page([order("PAID")]))).toEqual(["status"]);
    expect(ignoredFilters({ statuses: [] }, page([order("PAID")]))).toEqual([]);
    expect(ignoredFilters({ email: "A@Example.com" }, page([order("PAID")]))).toEqual([]);
    expect(ignoredFilters({ email: "b@example.com" }, page([order("PAID")]))).toEqual(["email"]);
  });

  it("have the limit among them when a page is too long, or too short and not the last", () => {
    const two = [order("PAID"), order("PAID")];
    expect(ignoredFilters({ limit: 1 }, page(two))).toEqual(["limit"]);
    expect(ignoredFilters({ limit: 2 }, page(two, 5))).toEqual([]);
    expect(ignoredFilters({ limit: 3 }, page(two, 5))).toEqual(["limit"]);
    expect(ignoredFilters({ limit: 3 }, page(two, 5, 1))).toEqual([]);
    expect(ignoredFilters({ limit: 3, page: 5 }, page(two, 5))).toEqual([]);
    expect(ignoredFilters({ limit: 3 }, page([], 5))).toEqual([]);
  });
});

describe("the API's own words", () => {
  it("become one line without markup or control characters, of at most 200 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (words) => {
        const line = cleanDetail(words);
        expect([...line].length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/[\p{C}<>*`~|\\]/u);
      }),
    );
    expect(cleanDetail(`${"é".repeat(300)}`)).toHaveLength(200);
  });
});

describe("a failure below HTTP", () => {
  const systemError = (code: string, syscall: string) =>
    Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  const refused = systemError("ECONNREFUSED", "connect");
  const reset = systemError("ECONNRESET", "read");

  it.each([
    ["a connect time-out", new errors.ConnectTimeoutError(), "timeout", true],
    ["a refused connection", refused, "unavailable", true],
    ["a name that does not resolve", systemError("EAI_AGAIN", "getaddrinfo"), "unavailable", true],
    ["several addresses that all refuse", new AggregateError([refused, refused]), "unavailable", true],
    ["several addresses, one of them reset", new AggregateError([refused, reset]), "unavailable", false],
    ["a reset connection", reset, "unavailable", false],
    ["the other side closing", new errors.SocketError("other side closed"), "unavailable", false],
    ["a time-out of the headers", new errors.HeadersTimeoutError(), "timeout", false],
    ["a time-out of the body", new errors.BodyTimeoutError(), "timeout", false],
    ["headers without end", new errors.HeadersOverflowError(), "malformed", false],
  ] as const)("%s: whether the request can have left is told", (_, error, code, neverSent) => {
    expect(transportFault(error)).toMatchObject({ code, neverSent });
  });
});
