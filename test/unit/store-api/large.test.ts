import { describe, expect, it } from "vitest";
import { Mutex } from "../../../src/basics/limits/mutex.ts";
import { answerOf } from "../../../src/store-api/answer-of.ts";
import {
  createProductEndpoint,
  type Endpoint,
  getOrderEndpoint,
  listOrdersEndpoint,
} from "../../../src/store-api/endpoints.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import { makeOrder } from "../../sandbox/store/catalog.ts";
import { withBodyStore } from "../../support/body-server.ts";

const mebibyte = 1024 * 1024;

it("an answer with 5,000 orders has each of them", async () => {
  // An order with every field of the document (store-open-api 2.3), and one line.
  const order = orderSchema.parse(makeOrder(0));
  const row = { ...order, items: order.items.slice(0, 1), createdAt: "2025-11-05T12:00:00.000Z" };
  const orders = Array.from({ length: 5_000 }, (_, index) => ({ ...row, id: `o${index}` }));
  await withBodyStore(JSON.stringify({ success: true, data: { orders, lastPage: 1 } }), async ({ polled: store }) => {
    const page = await store.listOrders({ limit: 100 });

    expect(page).toMatchObject({ skipped: 0, lastPage: 1 });
    expect(page.items.map(({ id }) => id)).toEqual(orders.map(({ id }) => id));
    expect(store.capabilities.of("limit")).toBe(false);
  });
});

describe("other large answers", () => {
  const filler = "a".repeat(mebibyte / 4);
  const read = <Data>(endpoint: Endpoint<Data>, text: string, signal = new AbortController().signal) => {
    const answered = { status: 200, headers: {}, body: Buffer.from(text), fingerprint: undefined };
    return answerOf(answered, endpoint, "t", new Mutex(), signal);
  };

  it("with megabytes of goods in one order show the order", async () => {
    const inventory = Array.from({ length: 30_000 }, (_, index) => ({
      type: "SERIAL",
      content: `GOODS-${index}-${"x".repeat(60)}`,
    }));
    const [line, ...lines] = makeOrder(2).items;
    const order = makeOrder(2, { items: [{ ...line, inventory } as never, ...lines] });
    const { data } = await read(getOrderEndpoint, `\uFEFF ${JSON.stringify({ success: true, data: order })}\n`);

    expect(data.items.map(({ productTitle }) => productTitle)).toEqual(order.items.map((item) => item.productTitle));
    expect(JSON.stringify(data)).not.toContain("GOODS");
  });

  it.each([
    ["cut short", `{"success":true,"data":{"orders":[{"id":"${filler}`, "malformed"],
    ["a refusal", `{"success":false,"message":"Unauthorized","x":"${filler}"}`, "unauthorized"],
    ["of more values than are parsed", `["${filler}"${",[]".repeat(250_000)}]`, "too_large"],
    [
      "of more rows than are read",
      `{"success":true,"data":{"lastPage":1,"orders":[1${",1".repeat(10_000)}]}}`,
      "too_large",
    ],
  ])("that are %s fail", async (_, text, code) => {
    await expect(read(listOrdersEndpoint, text)).rejects.toMatchObject({ code });
  });

  it("to a creation are read even if its time is up, those to a read are not", async () => {
    const textOf = (data: string) => `{"success":true,"x":"${filler}","data":${data}}`;
    const over = AbortSignal.abort(new Error("the time is up"));
    expect(await read(createProductEndpoint, textOf('{"id":"p1"}'), over)).toMatchObject({ data: { id: "p1" } });
    await expect(read(listOrdersEndpoint, textOf('{"orders":[]}'), over)).rejects.toThrow("the time is up");
  });
});
