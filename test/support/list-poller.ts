import { newListMemory } from "../../src/orders/list-memory.ts";
import type { OrderRow } from "../../src/orders/order-row.ts";
import { readList } from "../../src/orders/read-list.ts";
import { largestPageSize } from "../../src/store-api/listing.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { type OrderPage, StoreError } from "../../src/store-api/store-api.ts";
import { dealtWith, factsOf, openRow } from "./order-rows.ts";
import { changed, createOrderList, ofPending, type Sorting } from "./scan-model.ts";

/** One store, polled: a ledger that takes in what rings, and what was asked for. */
export function createPoller(options: {
  sorting?: Sorting;
  pageSize?: number;
  filter?: string | undefined;
  stock?: number;
}) {
  const { sorting = "newest first", pageSize = largestPageSize, stock = 0 } = options;
  const list = createOrderList({ sorting, pageSize, filter: "filter" in options ? options.filter : "PENDING" });
  const ledger = new Map<string, OrderRow>();
  for (let count = 0; count < stock; count += 1) ledger.set(list.arrive("PENDING", 0.5), dealtWith);
  const state = { memory: newListMemory() };
  const open = () => [...ledger].flatMap(([id, entry]) => (entry.state === "open" ? [id] : []));
  let lookUps = 0;

  const poll = async (
    more: { readPage?: (page: number) => Promise<OrderPage>; since?: number; pass?: number } = {},
  ) => {
    const asked: number[] = [];
    lookUps = 0;
    const result = await readList({
      readPage: async (page, fingerprint) => {
        asked.push(page);
        return changed(more.readPage ? await more.readPage(page) : list.page(page), fingerprint);
      },
      async known(ids) {
        if (ids.length > 0) lookUps++;
        return new Map(ids.flatMap((id) => (ledger.has(id) ? [[id, ledger.get(id) as OrderRow]] : [])));
      },
      async alertedIds() {
        lookUps++;
        return open();
      },
      ...ofPending,
      memory: state.memory,
      ...(more.since === undefined
        ? {}
        : { baseline: { since: more.since, statuses: ["PENDING"], pass: more.pass ?? 1 } }),
    });
    state.memory = structuredClone(result.memory);
    for (const { id } of result.fresh) ledger.set(id, dealtWith);
    return {
      ...result,
      baseline: result.baseline.map(({ id }) => id),
      asked,
      requests: asked.length,
      lookUps,
      ids: result.fresh.map(({ id }) => id),
    };
  };
  /** Notes that this order was posted, and is still open; returns its id. */
  const opened = (order: Order | undefined) => {
    if (order) ledger.set(order.id, openRow(factsOf(order)));
    return order?.id ?? "";
  };
  return { list, opened, poll, state };
}

/** A page that the store does not give. */
export const down = async (): Promise<never> => {
  throw new StoreError("unavailable", "orders");
};
