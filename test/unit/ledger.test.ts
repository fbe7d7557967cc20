import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIdList } from "../../src/alerts/id-list.ts";
import { Ledger, type OwedEntry, type PostedEntry } from "../../src/alerts/ledger.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createLog } from "../../src/operations/log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";
import { stored } from "../support/stored.ts";

const vault = createVault([Buffer.alloc(32, 7)]);
let directory: string;
let storage: Storage;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell-ledger-"));
  const log = createLog({ level: "silent", terminal: false });
  storage = await openStorage(`sqlite://${join(directory, "ledger.sqlite")}`, log);
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true, force: true });
});

const idOf = (index: number) => `0f8fad5b-d9cb-469f-a165-${String(index).padStart(12, "0")}`;
const orderOf = (index: number) => ({
  id: idOf(index),
  status: "PENDING",
  items: Array.from({ length: 3 }, () => ({ title: "A product with a name", quantity: 1 })),
  total: 5,
  paymentMethod: "PIX",
  createdAt: 1,
});
const owed = (index: number): OwedEntry => ({ state: "owed", order: orderOf(index), channelIds: ["c"], foundAt: 1 });
const posted = (index: number): PostedEntry => ({
  state: "posted",
  order: orderOf(index),
  channelId: "c",
  messageId: "m",
  batch: [idOf(index)],
  foundAt: 1,
});
const all = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

describe("a ledger of a server with thousands of orders", () => {
  it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ["is left behind for another store", (ledger) => ledger.startOver()],
    ["is deleted", (ledger) => ledger.clear()],
    ["forgets what it owes", (ledger) => ledger.dropOwed()],
    ["reads its entries", (ledger) => ledger.entries(all(4_000, idOf))],
    ["takes orders as seen", (ledger) => ledger.markSeen(all(4_000, (index) => idOf(10_000 + index)))],
    ["settles orders", (ledger) => ledger.settle(all(2_000, posted))],
  ])("%s without holding the event loop", async (_, work) => {
    const ledger = new Ledger(storage, "1", vault);
    await ledger.posted(all(2_000, posted));
    await ledger.owe(all(2_000, (index) => owed(2_000 + index)));
    const { turns } = await turnsDuring(() => work(ledger));

    expect(turns).toBeGreaterThan(15);
  });

  it("keeps what is owed, and nothing else, when it starts over", async () => {
    const ledger = new Ledger(storage, "1", vault);
    await ledger.posted(all(150, posted));
    await ledger.markSeen([idOf(500)]);
    await ledger.owe([owed(900), owed(901)]);
    await ledger.startOver();

    expect([...(await ledger.entries(all(1_000, idOf))).keys()]).toEqual([idOf(900), idOf(901)]);
    expect(await ledger.owedIds()).toEqual([idOf(900), idOf(901)]);
    expect(await ledger.followedIds()).toEqual([]);
  });

  it("leaves nothing when it is cleared", async () => {
    const ledger = new Ledger(storage, "1", vault);
    await ledger.posted(all(150, posted));
    await ledger.owe([owed(900)]);
    await ledger.clear();

    for (const table of ["ledger:1", "id-lists", "id-list-parts", "witnesses", "open-orders"]) {
      for await (const [key] of storage.table(stored(table)).entries()) expect.unreachable(`${table} ${key}`);
    }
  });
});

describe("a list of ids", () => {
  it("grows and shrinks at both ends and in the middle, and is written in parts", async () => {
    const ledger = new Ledger(storage, "1", vault);
    await ledger.owe(all(230, owed));
    await ledger.posted(all(60, posted));
    await ledger.posted([posted(100)]);
    const left = all(230, idOf).filter((_, index) => index >= 60 && index !== 100);
    expect(await new Ledger(storage, "1", vault).owedIds()).toEqual(left);

    await ledger.owe([owed(300)]);
    expect(await new Ledger(storage, "1", vault).owedIds()).toEqual([...left, idOf(300)]);
    expect(await ledger.followedIds()).toEqual([...all(60, idOf), idOf(100)]);

    const parts: number[] = [];
    for await (const [, ids] of storage.table(stored<string[]>("id-list-parts")).entries()) parts.push(ids.length);
    expect(Math.max(...parts)).toBeLessThanOrEqual(50);
  });

  it("loses one malformed id of a list, and not those beside it", async () => {
    const list = createIdList(storage, "damaged");
    await list.add(["a", "b"]);
    await storage.table(stored<unknown[]>("id-list-parts")).set("damaged:1", ["a", 7, "b"]);

    expect(await list.read()).toEqual(["a", "b"]);
  });
});
