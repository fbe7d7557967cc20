import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Guild } from "../../src/guilds/guild.ts";
import { alertsDeed, createTrail } from "../../src/handling/trail.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage, Table } from "../../src/storage/table.ts";
import { keysIn, stored } from "../support/stored.ts";

const dayMs = 24 * 60 * 60_000;
const server = "100000000000000001";
const ana = { guildId: server, userId: "200000000000000001" };
const ben = { guildId: server, userId: "200000000000000002" };
const everything = 100_000;

let storage: Storage;
let clock: number;
let isKept: boolean;
let warnings: string[];

beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  clock = Date.UTC(2026, 10, 21, 12);
  isKept = true;
  warnings = [];
});
afterEach(() => storage.close());

/** A process on the storage; each writes in a lane of its own. */
const start = (lane = 0, on = storage) =>
  createTrail({
    storage: on,
    mayKeep: async () => isKept,
    log: { warn: (_, message) => void warnings.push(message) },
    now: () => clock,
    lane,
  });

const all = async (of = start()) => (await of.page(server, 1, everything)).entries;
const whats = async (of = start()) => (await all(of)).map(({ what }) => what);

/** The storage with another way to do one thing. */
const withTable = (change: (table: Table<unknown>) => Partial<Table<unknown>>): Storage => ({
  ...storage,
  table: (shape, part) => {
    const table = storage.table(shape, part);
    return { ...table, ...(change(table as Table<unknown>) as Partial<typeof table>) };
  },
});

describe("the trail", () => {
  it("tells who did what and when, the newest first, also after a restart", async () => {
    const trail = start();
    await trail.note(ana, { did: "connected" });
    clock += 1_000;
    await trail.note(ben, { did: "currency", what: "BRL" });

    expect(await all(start(3))).toEqual([
      { at: clock, by: ben.userId, did: "currency", what: "BRL" },
      { at: clock - 1_000, by: ana.userId, did: "connected", what: "" },
    ]);
  });

  it("notes nothing where nothing was done", async () => {
    await start().note(ana, undefined);
    expect(await all()).toEqual([]);
  });

  it("has pages, of which the last one stands for all beyond it", async () => {
    const trail = start();
    for (let nth = 0; nth < 25; nth++) {
      await trail.note(ana, { did: "product_created", what: String(nth) });
      clock += 13 * 60 * 60_000;
    }
    const page = async (number: number) => {
      const { entries, ...where } = await trail.page(server, number, 10);
      return { ...where, whats: entries.map(({ what }) => Number(what)) };
    };
    const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first - index);
    expect(await page(1)).toEqual({ page: 1, hasMore: true, whats: from(24, 10) });
    expect(await page(2)).toEqual({ page: 2, hasMore: true, whats: from(14, 10) });
    expect(await page(3)).toEqual({ page: 3, hasMore: false, whats: from(4, 5) });
    expect(await page(Number.MAX_SAFE_INTEGER)).toEqual(await page(3));
    expect((await trail.page("2", 7, 10)).page).toBe(1);
  });

  it("forgets what is older than 90 days, and keeps no byte of it in the storage", async () => {
    const trail = start();
    const began = clock;
    await trail.note(ana, { did: "connected" });
    clock = began + 90 * dayMs - 1;
    expect(await all()).toHaveLength(1);
    clock = began + 90 * dayMs;
    expect(await all()).toEqual([]);

    const expiries: (number | undefined)[] = [];
    const watched = withTable((table) => ({
      set: async (key, value, options) => {
        expiries.push(options?.ttlMs);
        await table.set(key, value, options);
      },
    }));
    await start(0, watched).note(ana, { did: "connected" });
    expect(expiries).toEqual([91 * dayMs]);
  });

  it("has room for whoever presses all day, at their own cost alone", async () => {
    const trail = start();
    const yesterday = clock;
    await trail.note(ana, { did: "connected", what: "yesterday" });
    clock = yesterday + dayMs;
    await trail.note(ben, { did: "staff", what: "of another person" });
    for (let nth = 0; nth < 1_000; nth++) await trail.note(ana, { did: "product_created", what: String(nth) });

    const kept = await whats();
    expect(kept).toHaveLength(501);
    expect(kept).toEqual(expect.arrayContaining(["yesterday", "of another person", "999", "501"]));
    expect(kept).not.toContain("500");
  });

  it("takes 100 bytes for an entry", async () => {
    const trail = start();
    const [id, count] = ["3fa85f64-5717-4562-b3fc-2c963f66afa6", 100];
    for (let nth = 0; nth < count; nth++) await trail.note(ana, { did: "product_created", what: id });
    const table = storage.table(stored(`trail:${server}`));
    const [key = ""] = await keysIn(storage, `trail:${server}`);
    expect(JSON.stringify(await table.get(key)).length / count).toBeLessThan(100);
  });

  it("tells the rest where a part is malformed", async () => {
    await start(0).note(ana, { did: "connected" });
    const [key = ""] = await keysIn(storage, `trail:${server}`);
    await start(1).note(ben, { did: "alerts_off" });
    await storage.table(stored(`trail:${server}`)).set(key, { no: "list" });
    expect((await all()).map(({ by }) => by)).toEqual([ben.userId]);
  });

  it("loses nothing of two processes that write at the same moment", async () => {
    const [one, other] = [start(0), start(1)];
    await Promise.all(
      Array.from({ length: 60 }, (_, nth) =>
        (nth % 2 ? one : other).note(nth % 3 ? ana : ben, { did: "exported", what: String(nth) }),
      ),
    );
    const expected = Array.from({ length: 60 }, (_, nth) => nth);
    expect((await whats()).map(Number).sort((a, b) => a - b)).toEqual(expected);
  });

  it("is in the sequence of what was done, whichever process noted it", async () => {
    const [one, other] = [start(0), start(7)];
    for (const [nth, trail] of [one, other, one, other, one].entries()) {
      clock += 1_000;
      await trail.note(ana, { did: "exported", what: String(nth) });
    }
    expect(await whats()).toEqual(["4", "3", "2", "1", "0"]);
  });

  it("is deleted with the server, and nothing that comes late stays behind", async () => {
    const trail = start();
    await trail.note(ana, { did: "connected" });
    await start(1).note({ ...ana, guildId: "2" }, { did: "connected" });
    isKept = false;
    await Promise.all([trail.forget(server), trail.note(ana, { did: "alerts_off" })]);
    expect(await keysIn(storage, `trail:${server}`)).toEqual([]);
    expect(await keysIn(storage, "trail:2")).toHaveLength(1);
  });
});

describe("a note", () => {
  it("that fails is in the log, and fails nobody", async () => {
    const broken = withTable(() => ({ get: () => Promise.reject(new Error("broken")) }));
    await start(0, broken).note(ana, { did: "connected" });
    expect(warnings).toEqual(["it could not be noted who did this"]);
  });

  it("holds nobody up while the storage hangs, and is noted once it goes on", async () => {
    const { promise: goesOn, resolve } = Promise.withResolvers<void>();
    const hanging = withTable((table) => ({
      get: async (key) => {
        await goesOn;
        return table.get(key);
      },
    }));
    const trail = start(0, hanging);
    await trail.note(ana, { did: "connected" });
    expect(await all()).toEqual([]);

    resolve();
    await expect.poll(() => all()).toHaveLength(1);
  });

  it("of those that would wait for a storage that hangs is left out beyond a thousand", async () => {
    const { promise: goesOn, resolve } = Promise.withResolvers<void>();
    const hanging = withTable((table) => ({
      get: async (key) => {
        await goesOn;
        return table.get(key);
      },
    }));
    const trail = start(0, hanging);
    const noted = Array.from({ length: 1_002 }, () => trail.note(ana, { did: "connected" }));
    await turn();
    expect(warnings).toEqual(Array(2).fill("the storage is too slow to note who did this"));
    resolve();
    await Promise.all(noted);
  });
});

describe("what is said of alerts", () => {
  const alerts = (more: Partial<NonNullable<Guild["alerts"]>> = {}) => ({
    channelId: "1",
    statuses: ["PENDING"],
    since: 1,
    ...more,
  });

  it.each<[string, Guild["alerts"], Guild["alerts"], string | undefined]>([
    ["turned on", undefined, alerts(), "alerts_on"],
    ["moved", alerts(), alerts({ channelId: "2", roleId: "3" }), "alerts_moved"],
    ["with another role", alerts(), alerts({ roleId: "3" }), "alerts_changed"],
    ["without a role", alerts({ roleId: "3" }), alerts(), "alerts_changed"],
    ["for other statuses", alerts(), alerts({ statuses: ["PAID"] }), "alerts_changed"],
    ["as they were", alerts(), alerts(), undefined],
    ["turned off meanwhile", alerts(), undefined, undefined],
  ])("is what became of them: %s", (_, before, after, did) => {
    expect(alertsDeed(before, after)?.did).toBe(did);
  });
});
