import { describe, expect, it } from "vitest";
import type { Guild } from "../../../src/guilds/guild.ts";
import { alertsDeed, auditLogTable, createAuditLog } from "../../../src/handling/audit-log.ts";
import type { Storage } from "../../../src/storage/table.ts";
import type { AuditAct } from "../../../src/views/settings/audit-log.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { stored } from "../../support/stored.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { useStorage } from "../../support/use-storage.ts";
import { withTable } from "../../support/with-table.ts";

const dayMs = 24 * 60 * 60_000;
const server = "100000000000000001";
const ana = { guildId: server, userId: "200000000000000001" };
const ben = { guildId: server, userId: "200000000000000002" };
const everything = 100_000;

const storage: Storage = useStorage();
const logged = useFixture(recordedLog);
/** Goes on from test to test. */
let clock = Date.UTC(2026, 10, 21, 12);

/** Each call is a process on the storage. */
const start = (on = storage) =>
  createAuditLog({
    storage: on,
    mayKeep: async () => [],
    log: logged.log,
    now: () => clock,
  });

const all = async (of = start()) => (await of.page(server, 1, everything)).entries;
const whats = async () => (await all(start())).map(({ what }) => what);

describe("the audit log", () => {
  it("forgets what is older than 90 days, and keeps no byte of it in the storage", async () => {
    const auditLog = start();
    const began = clock;
    await auditLog.note(ana, { did: "connected" });
    clock = began + 90 * dayMs - 1;
    expect(await all()).toHaveLength(1);
    clock = began + 90 * dayMs;
    expect(await all()).toEqual([]);

    const expiries: (number | undefined)[] = [];
    const watched = withTable(storage, (table) => ({
      put(row, value, options) {
        expiries.push(options?.ttlMs);
        return table.put(row, value, options);
      },
    }));
    await start(watched).note(ana, { did: "connected" });
    expect(expiries).toEqual([91 * dayMs]);
  });

  it("has what one person does to one thing on a day once, with how often and when for the first time", async () => {
    const auditLog = start();
    const began = clock;
    for (let nth = 0; nth < 60; nth++) {
      clock = began + nth;
      await auditLog.note(ana, { did: "exported", what: nth % 2 ? "orders" : "products" });
    }
    await auditLog.note(ben, { did: "exported", what: "orders" });
    const of = { by: ana.userId, did: "exported", times: 30 };
    expect(await all(start())).toEqual([
      { at: clock, firstAt: clock, times: 1, by: ben.userId, did: "exported", what: "orders" },
      { ...of, at: clock, firstAt: began + 1, what: "orders" },
      { ...of, at: clock - 1, firstAt: began, what: "products" },
    ]);

    clock = began + dayMs;
    await auditLog.note(ana, { did: "exported", what: "orders" });
    expect(
      (await all()).map(({ times }) => times),
      "another day is another entry",
    ).toEqual([1, 1, 30, 30]);
  });

  it("after 500 entries of a day, joins further acts of one kind by one person, and leaves the first ones as they are", async () => {
    const at = clock;
    const created = Array.from({ length: 499 }, (_, nth) => [at, ana.userId, "product_created", String(nth)]);
    const rows = [[at, ben.userId, "staff", "of another person"], ...created];
    await storage.table(stored(`trail:${server}`, 2)).set(String(Math.floor(at / dayMs)), rows);
    const note = async (who: typeof ana, did: AuditAct, what: string) => {
      clock += 1_000;
      await start().note(who, { did, what });
    };
    for (const what of ["x", "y"]) await note(ana, "product_created", what);
    for (const what of ["a", "b", "c", "d"]) await note(ana, "import_begun", what);
    await note(ben, "route_added", "late");

    const kept = await all();
    const entry = (did: string, what: string | null, times = 1) => expect.objectContaining({ did, what, times });
    expect(kept.slice(0, 4)).toEqual([
      entry("route_added", "late"),
      entry("import_begun", null, 3),
      entry("import_begun", "a"),
      entry("product_created", null, 3),
    ]);
    expect(kept).toHaveLength(503);
    expect(kept).toContainEqual(entry("product_created", "0"));
    expect(kept).toContainEqual(entry("staff", "of another person"));
  });

  it("loses nothing of two processes that write at the same moment", async () => {
    const [one, other] = [start(), start()];
    await Promise.all(
      Array.from({ length: 60 }, (_, nth) =>
        (nth % 2 ? one : other).note(nth % 3 ? ana : ben, { did: "route_added", what: String(nth) }),
      ),
    );
    const expected = Array.from({ length: 60 }, (_, nth) => nth);
    // On a slow machine, writes go on after `note` has resolved.
    await expect.poll(async () => (await whats()).map(Number).sort((a, b) => a - b)).toEqual(expected);
  });
});

it("reads no more days for a page than it needs: all 90 at once would stop the process", async () => {
  const today = Math.floor(clock / dayMs);
  const table = storage.table(auditLogTable, server);
  for (let before = 0; before <= 90; before++) {
    await table.set(String(today - before), [[clock - before * dayMs, ana.userId, "staff", String(before)]]);
  }
  const atOnce: number[] = [];
  const watched = withTable(storage, (days) => ({
    read(keys) {
      atOnce.push(keys.length);
      return days.read(keys);
    },
  }));

  expect(await start(watched).page(server, 1, 5)).toMatchObject({ page: 1, last: 2 });
  expect(atOnce).toEqual([10]);
  const { entries, page, last } = await start(watched).page(server, 18, 5);
  expect(entries.map(({ what }) => what)).toEqual(["85", "86", "87", "88", "89"]);
  expect([page, last]).toEqual([18, 18]);
  expect(Math.max(...atOnce)).toBe(10);
});

describe("a note", () => {
  it("that fails is in the log, and fails nobody", async () => {
    const broken = withTable(storage, () => ({ read: () => Promise.reject(new Error("broken")) }));
    await start(broken).note(ana, { did: "connected" });
    expect(logged.said("warn")).toEqual(["could not write the audit log"]);
  });

  it("holds nobody up while the storage hangs, and is noted once it goes on", async () => {
    const { promise: goesOn, resolve } = Promise.withResolvers<void>();
    const hanging = withTable(storage, (table) => ({
      read: async (keys) => {
        await goesOn;
        return table.read(keys);
      },
    }));
    const auditLog = start(hanging);
    await auditLog.note(ana, { did: "connected" });
    expect(await all()).toEqual([]);
    resolve();
    await expect.poll(async () => (await all())[0]?.times).toBe(1);
  });
});

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
])("what is said of alerts is what became of them: %s", (_, before, after, did) => {
  expect(alertsDeed(before, after)?.did).toBe(did);
});
