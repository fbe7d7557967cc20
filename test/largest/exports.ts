import { orderExport, productExport } from "../../src/reports/export-formats.ts";
import type { TaskRead } from "../../src/reports/long-task.ts";
import { type ExportFormat, runExport } from "../../src/reports/run-export.ts";
import { withBodyStore } from "../support/body-server.ts";
import { answerOf, type Filler, repeated } from "./inputs.ts";
import { fillersNamed, type Work } from "./work.ts";

const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
/** Discord's limit for most servers. */
const fileBytes = 10 * 1024 * 1024;

const texts: readonly (readonly [string, Filler])[] = [
  ...fillersNamed(["joined", "control"]),
  ["formulas", repeated(",=")],
  ["commas", repeated(",")],
  ["apostrophes", repeated("'")],
];

const line = (productTitle: string) => ({ productId: uuid, productTitle, quantity: 1, price: 2.5 });
const orderOf = (index: number, text: string, items: readonly object[]) => ({
  id: `o${index}`,
  status: "PAID",
  customer: { name: text, email: `${text}@a` },
  items,
  paymentMethod: text,
  pricing: { total: 1 },
});
const productOf = (index: number, text: string, images: readonly string[]) => ({
  id: `p${index}`,
  type: text,
  categoryId: text,
  info: { title: text, description: text, slug: text, images },
  pricing: { price: 1 },
});

/** Pages with few large rows, with as many rows as are asked for, and with the most rows that a store may send. */
type RowOf = (fill: Filler, index: number) => object;
const pages: readonly (readonly [string, "orders" | "products", count: number, RowOf])[] = [
  ["texts as long as a cell", "orders", 100, (fill, index) => orderOf(index, fill(32_768), [line(fill(32_768))])],
  ["500 long items", "orders", 1, (fill, index) => orderOf(index, fill(9), Array(500).fill(line(fill(1_000))))],
  ["300 empty items each", "orders", 200, (fill, index) => orderOf(index, fill(1), Array(300).fill({}))],
  ["many rows", "orders", 5_000, (fill, index) => orderOf(index, fill(200), [line(fill(200))])],
  ["long links", "products", 100, (fill, i) => productOf(i, fill(9_000), Array(100).fill(`https://a.b/${fill(400)}`))],
];

async function exportOf(what: "orders" | "products", body: Buffer): Promise<number> {
  async function exported<Row extends { readonly id: string }>(format: ExportFormat<Row>, read: TaskRead<Row>) {
    const { written } = await runExport(format, read, {
      fileBytes,
      watcher: { isCancelled: async () => false, show: async () => undefined, send: async () => undefined },
      waitMs: () => 0,
      until: performance.now() + 600_000,
      ending: new AbortController().signal,
    });
    return written;
  }
  const orders = orderExport({ statuses: undefined, days: {}, privacy: "masked" });
  return withBodyStore(body, ({ store }) =>
    what === "orders"
      ? exported(orders, (page, limit) => store.listOrders({ page, limit, isWhole: true }))
      : exported(productExport, (page, limit) => store.listProducts({ page, limit, isWhole: true })),
  );
}

export function* worksOfExports(): Iterable<Work> {
  for (const [page, what, count, rowOf] of pages) {
    for (const [filler, fill] of texts) {
      const body = answerOf(what, (index) => rowOf(fill, index), { most: count, lastPage: 1 });
      yield {
        what: `${page}, ${filler}`,
        async run() {
          if ((await exportOf(what, body)) === 0) throw new Error("nothing was exported");
        },
      };
    }
  }
}
