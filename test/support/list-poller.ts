import { ListMemory } from "../../src/orders/list-memory.ts";
import type { OrderRow } from "../../src/orders/order-row.ts";
import { readList } from "../../src/orders/read-list.ts";
import { largestPageSize } from "../../src/store-api/listing.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { type OrderPage, StoreError } from "../../src/store-api/store-api.ts";
import { dealtWith, factsOf, openRow } from "./order-rows.ts";
import { changed, createOrderList, ledgerOf, type Sorting } from "./scan-model.ts";

/** One store, polled: a ledger that records what is new, and the requests. */
export function createPoller(options: { sorting?: Sorting; pageSize?: number; stock?: number }) {
  const { sorting = "newest first", pageSize = largestPageSize, stock = 0 } = options;
  const list = createOrderList({ sorting, pageSize, filter: "PENDING" });
  const rows = new Map<string, OrderRow>();
  for (let count = 0; count < stock; count += 1) rows.set(list.arrive("PENDING", 0.5), dealtWith);
  const memory = new ListMemory();

  const poll = async (readPage: (page: number) => Promise<OrderPage> = async (page) => list.page(page)) => {
    const asked: number[] = [];
    /** Ids of the new orders, by page, in the sequence in which the pages were recorded. */
    const pages: string[][] = [];
    let recorded = 0;
    const { failures, missing } = await readList(memory, {
      statuses: ["PENDING"],
      ledger: ledgerOf(rows),
      readPage: async (page, fingerprint) => {
        asked.push(page);
        return changed(await readPage(page), fingerprint);
      },
      async inspect({ items }) {
        const fresh = items.filter(({ id }) => !rows.has(id));
        return {
          leadsOn: fresh.length > 0,
          isAllNew: fresh.length > 0 && fresh.length === items.length,
          async record() {
            recorded += 1;
            for (const { id } of fresh) rows.set(id, dealtWith);
            pages.push(fresh.map(({ id }) => id));
            return items.flatMap(({ id }) => (rows.get(id)?.state === "open" ? [id] : []));
          },
        };
      },
    });
    return { failures, missing, asked, requests: asked.length, recorded, pages, ids: pages.flat().sort() };
  };
  /** Records that the alert of this order was posted. Returns its id. */
  const opened = (order: Order | undefined) => {
    if (order) rows.set(order.id, openRow(factsOf(order)));
    return order?.id ?? "";
  };
  return { list, opened, poll, memory };
}

/** A page that the store does not give. */
export const down = async (): Promise<never> => {
  throw new StoreError("unavailable", "orders");
};
