import { describe, expect, it } from "vitest";
import { longestCell } from "../../../src/reports/csv.ts";
import { orderExport, productExport } from "../../../src/reports/export-formats.ts";
import { wholeOrderSchema, wholeProductSchema } from "../../../src/store-api/schemas.ts";
import type { Store } from "../../../src/store-api/store-api.ts";
import { withBodyStore } from "../../support/body-server.ts";

/** The store returns these rows for every request. */
async function withStore(key: "orders" | "products", rows: readonly object[], use: (store: Store) => Promise<void>) {
  const body = JSON.stringify({ success: true, data: { [key]: rows, lastPage: 1 } });
  await withBodyStore(body, ({ store }) => use(store));
}

const text = (length: number) => 'é"\\😀'.repeat(length).slice(0, length).toWellFormed();
const link = (index: number) => `https://a.example/${index}?${"x".repeat(3_000)}`;
const line = (index: number) => ({ productId: `p${index}`, productTitle: text(700), quantity: 2, price: 1.5 });

describe("a page for a file has", () => {
  it("whole texts and links of products; a page of a list has as much as is shown", async () => {
    const images = Array.from({ length: 40 }, (_, index) => link(index));
    const info = { title: text(900), description: text(9_000), slug: text(900), images };
    const row = { id: "p", type: text(600), categoryId: text(600), info, pricing: { price: 1, comparation: 2 } };
    await withStore("products", [row], async (store) => {
      expect((await store.listProducts({ isWhole: true })).items).toEqual([row]);

      const [{ info: shown } = {}] = (await store.listProducts({})).items;
      expect([shown?.title.length, shown?.description.length, shown?.images.length]).toEqual([500, 4_000, 0]);
    });
  });

  it("whole texts and items of orders; a page of a list has as much as is shown", async () => {
    const items = Array.from({ length: 20 }, (_, index) => line(index));
    const customer = { name: text(600), email: text(600) };
    const pricing = { subtotal: 1, discount: 0, total: 1 };
    const row = { id: "o", status: "PAID", customer, items, paymentMethod: text(600), pricing };
    await withStore("orders", [row], async (store) => {
      expect((await store.listOrders({ isWhole: true })).items).toEqual([row]);

      const [shown] = (await store.listOrders({})).items;
      expect([shown?.customer.name.length, shown?.items[0]?.productTitle.length]).toEqual([500, 500]);
    });
  });
});

const whole = orderExport({ statuses: undefined, days: {}, privacy: "full" });
const record = (columns: readonly string[], cells: readonly unknown[]) =>
  Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
const orderRow = (items: readonly unknown[]) =>
  record(whole.columns, whole.cells(wholeOrderSchema.parse({ id: "o", status: "PAID", items })));
const imagesCell = (images: readonly unknown[]) =>
  record(productExport.columns, productExport.cells(wholeProductSchema.parse({ id: "p", info: { images } }))).images;

describe("what a file has not shows", () => {
  const short = { productTitle: "a", quantity: 2, price: 1 };

  it("of an order's items, in both columns that would have them", () => {
    expect(orderRow(Array(500).fill(short))).toMatchObject({
      items: Array(500).fill("2 × a (1)").join("; "),
      quantity: 1_000,
    });
    expect(orderRow(Array(501).fill(short))).toMatchObject({
      items: `${Array(500).fill("2 × a (1)").join("; ")}; …`,
      quantity: undefined,
    });
    expect(orderRow([short, { ...short, quantity: "two" }])).toMatchObject({
      items: "2 × a (1); …",
      quantity: undefined,
    });
    expect(orderRow([short, null])).toMatchObject({ items: "2 × a (1)", quantity: 2 });
  });

  it("of a product's links", () => {
    expect(imagesCell(Array(100).fill("a"))).toBe(Array(100).fill("a").join(" "));
    expect(imagesCell(Array(101).fill("a"))).toBe(`${Array(100).fill("a").join(" ")} …`);
    expect(imagesCell([link(1), { url: link(2) }])).toBe(`${link(1)} …`);
    expect(imagesCell(Array(50).fill("x".repeat(longestCell / 2 - 2)))).toMatch(/^x+ x+ …$/);
    expect(imagesCell(["x".repeat(longestCell), "y"])).toBe("…");
  });
});
