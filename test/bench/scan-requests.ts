import { ListMemory } from "../../src/orders/list-memory.ts";
import { readList } from "../../src/orders/read-list.ts";
import { largestPageSize } from "../../src/store-api/list-pages.ts";
import { changed, createOrderList, ledgerOf, type Sorting } from "../support/engine/scan-model.ts";
import { atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { spread } from "./spread.ts";

/** Numbers of waiting orders. */
const SIZES = [0, 100, 5_000, 50_000];
const STEADY_POLLS = 50;
const ARRIVALS = 20;
const SORTINGS: readonly Sorting[] = ["newest first", "oldest first", "by id"];

/** Uses a model of the store in memory. The numbers are the same on every run. */
export async function reportScanRequests(): Promise<Report> {
  const figures: Figure[] = [];
  for (const pending of SIZES) for (const sorting of SORTINGS) figures.push(...(await measure(pending, sorting)));
  return {
    title: "API requests per poll",
    how: "Nothing is new; 50 polls, then 20 arrivals, over a store in memory with 100 orders a page. The baseline reads every page at every poll. A new order is found by the next poll where the store lists the newest or the oldest first; in any other order within one poll per page.",
    figures,
  };
}

async function measure(pending: number, sorting: Sorting): Promise<Figure[]> {
  const list = createOrderList({ sorting, pageSize: largestPageSize, filter: "PENDING" });
  let drawn = 0;
  const draw = () => spread(++drawn);
  const ledger = new Set(Array.from({ length: pending }, () => list.arrive("PENDING", draw())));
  const memory = new ListMemory(["PENDING"]);
  const poll = async () => {
    let requests = 0;
    let fresh = 0;
    await readList(memory, {
      ledger: ledgerOf(new Map()),
      async readPage(page, fingerprint) {
        requests += 1;
        return changed(list.page(page), fingerprint);
      },
      async inspect({ items }) {
        const some = items.filter(({ id }) => !ledger.has(id));
        for (const { id } of some) ledger.add(id);
        fresh += some.length;
        return { leadsOn: some.length > 0, isAllNew: false, record: async () => [] };
      },
    });
    return { fresh, requests };
  };

  const pages = list.lastPage();
  let requestsPerPoll = 0;
  for (let polls = 0; polls < STEADY_POLLS; polls += 1) {
    requestsPerPoll = Math.max(requestsPerPoll, (await poll()).requests);
  }

  let requestsWithNew = 0;
  let pollsUntilFound = 0;
  for (let arrivals = 0; arrivals < ARRIVALS; arrivals += 1) {
    const id = list.arrive("PENDING", draw());
    let polls = 0;
    while (!ledger.has(id)) {
      polls += 1;
      const { requests, fresh } = await poll();
      if (fresh > 0) requestsWithNew = Math.max(requestsWithNew, requests);
    }
    pollsUntilFound = Math.max(pollsUntilFound, polls);
  }
  return [
    line(`${rounded(pending)} pending, ${sorting}: most requests of a poll`, requestsPerPoll, "requests", {
      baseline: `${rounded(pages)} requests`,
      target: atMost(3),
    }),
    line("… of the poll that found a new order", requestsWithNew, "requests"),
    line("… polls until a new order was found, worst of 20", pollsUntilFound, "polls", {
      target: atMost(sorting === "by id" ? Math.max(pages - 1, 1) : 1),
    }),
  ];
}
