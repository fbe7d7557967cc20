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
});
