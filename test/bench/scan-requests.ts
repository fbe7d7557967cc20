import { ListMemory } from "../../src/orders/list-memory.ts";
import { readList } from "../../src/orders/read-list.ts";
import { largestPageSize } from "../../src/store-api/listing.ts";
import { changed, createOrderList, ledgerOf, type Sorting } from "../support/scan-model.ts";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";

/** One line of the table: what polls cost in a store with so many pending orders, and when a new one is found. */
interface ScanRequestsRow {
  readonly pending: number;
  readonly pages: number;
  readonly sorting: Sorting;
  /** Most API requests of a poll to which nothing was new. */
  readonly requestsPerPoll: number;
  /** API requests of the poll that found a new order. */
  readonly requestsWithNew: number;
  /** Polls until a new order was found: the worst of 20. */
  readonly pollsUntilFound: number;
}

const STEADY_POLLS = 50;
const ARRIVALS = 20;
const SORTINGS: readonly Sorting[] = ["newest first", "oldest first", "by id"];

/** Requests of a poll by a model of the store in memory: the same numbers on every run. */
export async function reportScanRequests(sizes: readonly number[]): Promise<Report> {
  const rows: ScanRequestsRow[] = [];
  for (const pending of sizes) for (const sorting of SORTINGS) rows.push(await measure(pending, sorting));
  return {
    title: "API requests per poll",
    how: "Nothing is new; 50 polls, then 20 arrivals, over a store in memory with 100 orders a page. The baseline reads every page at every poll. A new order is found by the next poll where the store lists the newest or the oldest first; in any other order within one poll per page.",
    figures: rows.flatMap(
      ({ pending, pages, sorting, requestsPerPoll, requestsWithNew, pollsUntilFound }): Figure[] => [
        {
          what: `${rounded(pending)} pending, ${sorting}: most requests of a poll`,
          figure: requestsPerPoll,
          unit: "requests",
          baseline: `${rounded(pages)} requests`,
          target: atMost(requestsPerPoll, 3),
        },
        { what: "… of the poll that found a new order", figure: requestsWithNew, unit: "requests" },
        {
          what: "… polls until a new order was found, worst of 20",
          figure: pollsUntilFound,
          unit: "polls",
          target: atMost(pollsUntilFound, sorting === "by id" ? Math.max(pages - 1, 1) : 1),
        },
      ],
    ),
  };
}

async function measure(pending: number, sorting: Sorting): Promise<ScanRequestsRow> {
  const list = createOrderList({ sorting, pageSize: largestPageSize, filter: "PENDING" });
  const draw = createDraw();
  const ledger = new Set(Array.from({ length: pending }, () => list.arrive("PENDING", draw())));
  const memory = new ListMemory();
  const poll = async () => {
    let requests = 0;
    let fresh = 0;
    await readList(memory, {
      statuses: ["PENDING"],
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
  return { pending, pages, sorting, requestsPerPoll, requestsWithNew, pollsUntilFound };
}

/** Numbers between 0 and 1, the same on every run: the fractional parts of multiples of the golden ratio are spread evenly. */
function createDraw(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return (count * 0.6180339887498949) % 1;
  };
}
