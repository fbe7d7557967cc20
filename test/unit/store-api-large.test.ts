import { describe, expect, it } from "vitest";
import { Mutex } from "../../src/basics/limits/mutex.ts";
import { answerOf } from "../../src/store-api/answer-of.ts";
import { createProductEndpoint, listOrdersEndpoint } from "../../src/store-api/endpoints.ts";
import { orderSchema } from "../../src/store-api/schemas.ts";
import { makeOrder } from "../sandbox/store/catalog.ts";
import { withBodyStore } from "../support/body-server.ts";

const mebibyte = 1024 * 1024;
const largeBytes = mebibyte / 4;

it("an answer with 5,000 orders keeps the first and the last 500", async () => {
  // An order with every field of the document (store-open-api 2.3), and one line.
  const order = orderSchema.parse(makeOrder(0));
  const row = { ...order, items: order.items.slice(0, 1), createdAt: "2025-11-05T12:00:00.000Z" };
  const orders = Array.from({ length: 5_000 }, (_, index) => ({ ...row, id: `o${index}` }));
  await withBodyStore(JSON.stringify({ success: true, data: { orders } }), async ({ polled: store, logged }) => {
    const page = await store.listOrders({ limit: 100 });

    expect(page).toMatchObject({ items: { length: 1_000 }, cut: 4_000, skipped: 0, lastPage: 1 });

    const kept = [...orders.slice(0, 500), ...orders.slice(4_500)];
    expect(page.items.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(store.capabilities.of("limit")).toBe(false);
    expect(JSON.stringify(logged)).toContain("4000");
  });
});

describe("other large answers", () => {
  const large = (filler: string) => filler.repeat(Math.ceil(largeBytes / filler.length));

  it("with megabytes of goods in one order show the order", async () => {
    const inventory = Array.from({ length: 30_000 }, (_, index) => ({
      type: "SERIAL",
      content: `GOODS-${index}-${"x".repeat(60)}`,
    }));
    const [line, ...lines] = makeOrder(2).items;
    const order = makeOrder(2, { items: [{ ...line, inventory } as never, ...lines] });
    await withBodyStore(`\uFEFF ${JSON.stringify({ success: true, data: order })}\n`, async ({ polled: store }) => {
      const found = await store.getOrder(order.id);

      expect(found.items.map(({ productTitle }) => productTitle)).toEqual(order.items.map((item) => item.productTitle));
      expect(JSON.stringify(found)).not.toContain("GOODS");
    });
  });

  it.each([
    ["cut short", `{"success":true,"data":{"orders":[{"id":"${large("a")}`, "malformed"],
    ["a refusal", `{"success":false,"message":"Unauthorized","x":"${large("a")}"}`, "unauthorized"],
    ["of more values than are parsed", `["${large("a")}"${",[]".repeat(250_000)}]`, "too_large"],
    ["over 4 MiB", `{"success":true,"data":{"orders":[]},"x":"${"a".repeat(4 * mebibyte)}"}`, "too_large"],
  ])("that are %s fail", async (_, body, code) => {
    await withBodyStore(body, async ({ polled: store }) => {
      await expect(store.listOrders()).rejects.toMatchObject({ code });
    });
  });

  const row = (index: number, more: string) => `{"id":"o${index}","pricing":{"total":1},${more}}`;
  const list = (rows: readonly string[]) => `{"success":true,"data":{"orders":[${rows.join(",")}]}}`;
  const empty = (count: number) => `[${Array(count).fill("{}").join(",")}]`;
  const rowsOf = (count: number, more: string) => Array.from({ length: count }, (_, index) => row(index, more));

  it("are not read further if their call ended, and the next one is read", async () => {
    const body = list(rowsOf(3_000, `"items":${empty(20)}`));
    await withBodyStore(body, async ({ polled: store }) => {
      const reason = new Error("not wanted any more");
      const controller = new AbortController();
      const given = store.listOrders({}, controller.signal);
      setTimeout(() => controller.abort(reason), 20);
      await given.catch((error: unknown) => expect(error).toBe(reason));
      expect((await store.listOrders()).cut).toBe(2_000);
    });
  });

  it("to a creation are read even if its time is up, those to a read are not", async () => {
    const answered = (data: string) => ({
      status: 200,
      headers: {},
      body: Buffer.from(`{"success":true,"x":"${large("a")}","data":${data}}`),
      fingerprint: undefined,
    });
    const over = AbortSignal.abort(new Error("the time is up"));
    const created = answerOf(answered('{"id":"p1"}'), createProductEndpoint, "t", new Mutex(), over);
    expect(await created).toMatchObject({ data: { id: "p1" } });

    const listed = answerOf(answered('{"orders":[]}'), listOrdersEndpoint, "t", new Mutex(), over);
    await expect(listed).rejects.toThrow("the time is up");
  });

  it("keep 500 lines of each order", async () => {
    const lines = `"items":${empty(600)}`;
    await withBodyStore(list(rowsOf(2, lines)), async ({ polled: store }) => {
      expect((await store.listOrders()).items.map(({ items }) => items.length)).toEqual([500, 500]);
    });
  });

  it("lose only rows with a status or number that is too long, and keep the beginning of longer texts", async () => {
    const name = '\u00e9\ud83d\ude00"\\\n'.repeat(40_000);
    const rows = [
      { id: "a" },
      { id: "b", status: large("x") },
      { id: "c", customer: { name } },
      { id: "d", pricing: { total: large("0") } },
      { id: "e", customer: large("x") },
    ];
    await withBodyStore(JSON.stringify({ success: true, data: { orders: rows } }), async ({ polled: store }) => {
      const { items, skipped } = await store.listOrders();
      expect(items.map(({ id, customer }) => [id, customer.name])).toEqual([
        ["a", ""],
        ["c", name.slice(0, 499)],
        ["e", ""],
      ]);
      expect(skipped).toBe(2);
    });
  });
});
