import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Alerts } from "../../src/alerts/alerts.ts";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { Ledger } from "../../src/orders/ledger.ts";
import type { Messenger } from "../../src/outbox/messenger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage, Table, TableShape } from "../../src/storage/table.ts";
import { largestPageSize } from "../../src/store-api/listing.ts";
import { createStoreApi, type Store } from "../../src/store-api/store-api.ts";
import { startStore } from "../sandbox/store/start-store.ts";
import { dealtWith, factsOf, openRow, recordOrders } from "../support/order-rows.ts";
import { silent } from "./bot-process.ts";
import { atMost, exactly, type Figure, median, type Report, rounded, times } from "./figure.ts";
import { scanRequests } from "./scan-requests.ts";

const guildId = "1000000000000000001";
const channelId = "2000000000000000002";
const statuses = ["PENDING"];
const orderParams = { page: "page", limit: "limit", email: "email", status: "status" };
const warmUps = 5;
const polls = 50;

/** Requests of a poll by a model of the store in memory: the same numbers on every run. */
export async function reportScanRequests(sizes: readonly number[]): Promise<Report> {
  const rows = await scanRequests(sizes);
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

/** Counts what goes through to the tables. */
function counting(storage: Storage): Storage & { reads: number; writes: number } {
  const counted = { reads: 0, writes: 0 };
  const through =
    <A extends unknown[], R>(kind: keyof typeof counted, call: (...args: A) => R) =>
    (...args: A) => {
      counted[kind] += 1;
      return call(...args);
    };
  return Object.assign(counted, {
    table<T>(shape: TableShape<T>, part?: string): Table<T> {
      const table = storage.table(shape, part);
      return {
        get: through("reads", table.get),
        getMany: through("reads", table.getMany),
        entries: through("reads", table.entries),
        set: through("writes", table.set),
        setMany: through("writes", table.setMany),
        delete: through("writes", table.delete),
        deleteMany: through("writes", table.deleteMany),
        clear: through("writes", table.clear),
        read: through("reads", table.read),
        versions: through("reads", table.versions),
        expect: table.expect,
        put: table.put,
        remove: table.remove,
        written: table.written,
      };
    },
    commit: through("writes", storage.commit),
    close: storage.close,
  });
}

/** Nobody posts anything while nothing is new. */
const messenger: Messenger = {
  send: () => Promise.reject(new Error("a message in a steady state")),
  edit: () => Promise.reject(new Error("an edit in a steady state")),
  own: async () => [],
  read: async () => undefined,
  tellOwner: () => Promise.reject(new Error("a notice in a steady state")),
};

async function readEverything(store: Store, known: (ids: readonly string[]) => Promise<unknown>) {
  for (let page = 1, lastPage = 1; page <= lastPage; page++) {
    const answer = await store.listOrders({ page, limit: largestPageSize, statuses });
    await known(answer.items.map(({ id }) => id));
    lastPage = answer.lastPage;
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function measure(pending: number, followed: number): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "shopbell-bench-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const pretend = await startStore();
  stack.defer(() => pretend.close());
  const opened = await openStorage(`sqlite://${join(directory, "bench.sqlite")}`, silent);
  stack.defer(() => opened.close());
  const storeApi = createStoreApi({ baseUrl: pretend.url, orderParams, log: silent });
  stack.defer(() => storeApi.close());

  const storage = counting(opened);
  const store = storeApi.forToken(pretend.token, "background");
  const vault = createVault([Buffer.alloc(32, 7)]);
  const guilds = createGuilds({ storage, vault });
  await guilds.connect(guildId, pretend.token);
  await guilds.update(guildId, (guild) => ({ ...guild, alerts: { channelId, statuses, since: Date.now() } }));
  const ledger = new Ledger(storage, guildId);
  const rows = pretend.placeOrders(pending).map((order, index) => {
    const facts = factsOf({ ...order, createdAt: Date.parse(order.createdAt) });
    return [order.id, index < followed ? openRow(facts, channelId, "1", Date.now()) : dealtWith] as const;
  });
  await recordOrders(ledger, new Map(rows));

  const { signal } = new AbortController();
  const alerts = new Alerts({
    storage,
    guilds,
    vault,
    storeOf: () => store,
    leaseOf: () => ({ epoch: () => 1, signal: () => signal, fence: () => [], refused: async () => undefined }),
    messenger,
    takesOf: async () => new Map(),
    log: silent,
    signal,
  });
  for (let poll = 0; poll < warmUps; poll++) await alerts.poll(guildId);
  const all = await msOf(() => readEverything(store, (ids) => ledger.entries(ids)));
  // Every page has been seen once, so that those that come are all of those seen before.
  for (let poll = 0; poll < pending / largestPageSize; poll++) await alerts.poll(guildId);
  storage.writes = 0;
  storage.reads = 0;
  const before = pretend.requests.length;
  const durations: number[] = [];
  for (let poll = 0; poll < polls; poll++) durations.push(await msOf(() => alerts.poll(guildId)));
  const { reads, writes } = storage;
  const { lastError } = await alerts.status(guildId);
  if (lastError) throw new Error(`a poll failed: ${lastError.code}`);

  const name = `${rounded(pending)} pending, ${rounded(followed)} of them rung and followed`;
  const requests = (pretend.requests.length - before) / polls;
  const pages = Math.max(1, Math.ceil(pending / largestPageSize));
  const ms = median(durations);
  return [
    {
      what: `${name}: writes per poll`,
      figure: writes / polls,
      unit: "writes",
      target: exactly(writes, 0),
    },
    { what: "… reads per poll", figure: reads / polls, unit: "reads", target: exactly(reads, 0) },
    {
      what: "… API requests per poll",
      figure: requests,
      unit: "requests",
      baseline: `${rounded(pages)} requests`,
      target: atMost(requests, 3),
    },
    {
      what: "… time of a poll, median of 50",
      figure: ms,
      unit: "ms",
      baseline: `${rounded(all)} ms, ${times(all, ms)}`,
    },
  ];
}

/** A steady poll with the real store client over HTTP and the real storage on disk. */
export async function reportSteadyPolls(sizes: readonly number[]): Promise<Report> {
  const figures: Figure[] = [];
  for (const pending of sizes) figures.push(...(await measure(pending, 0)));
  for (const followed of sizes.filter((size) => size >= 5_000)) figures.push(...(await measure(followed, followed)));
  return {
    title: "What a steady poll costs",
    how: "Nothing is new; the real store client over HTTP, sqlite on disk, newest first. The pretend store runs in the same process, so times are upper bounds. The baseline reads every page and looks every order up.",
    figures,
  };
}
