import { expect, it } from "vitest";
import type { Backend } from "../../../src/storage/backend.ts";
import { moveToOutbox } from "../../../src/storage/migrations/2-to-3-outbox.ts";
import { toRowsOfServers } from "../../../src/storage/migrations/3-to-4-polled-servers.ts";
import { tablesToRecords } from "../../../src/storage/migrations/4-to-5-records.ts";
import { toOneBaseline } from "../../../src/storage/migrations/5-to-6-baseline.ts";
import { toFewerTables } from "../../../src/storage/migrations/6-to-7-fewer-tables.ts";
import { openBackend, storageOf } from "../../../src/storage/open-storage.ts";
import { partitionOf } from "../../../src/storage/polled-servers.ts";
import type { Migration } from "../../../src/storage/prepare-data.ts";
import type { WholeStorage } from "../../../src/storage/table.ts";
import { killAtEachStep, killableBackend } from "../../support/engine/killer.ts";
import { stored } from "../../support/stored.ts";

/** Values by table and key. */
type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Versions other than 1. 0.1.0 wrote rows without a version. */
const versions: Readonly<Record<string, number>> = { "ledger:2": 0, "open-orders": 0, "trail:11": 2, waiting: 2 };

async function rowsIn(storage: WholeStorage): Promise<Rows> {
  const found: Record<string, Record<string, unknown>> = {};
  for await (const entries of storage.rawEntries()) {
    for (const { table, key, raw } of entries) found[table] = { ...found[table], [key]: JSON.parse(raw).value };
  }
  return found;
}

const order = { id: "a", status: "PENDING", items: [{ title: "x", quantity: 1 }], total: 5, paymentMethod: "PIX" };
const facts = (id: string, more = {}) => ({ ...order, id, ...more });
const posted = { order, channelId: "c", messageId: "m", batch: ["d", "e"], foundAt: 3, isClassic: true };
const customer = { email: "ana@example.com", name: "Ana" };
const version2: Rows = {
  "ledger:1": {
    seen: { state: "seen", isFormer: true },
    owed: { state: "owed", order: facts("owed"), channelIds: ["b", "c"], batch: ["owed", "x"], foundAt: 2 },
    restored: {
      state: "owed",
      order: facts("restored"),
      sealedCustomer: "v1",
      channelIds: [],
      foundAt: 2,
      sentSince: 1,
      route: "r",
      isUnsure: true,
    },
    d: { ...posted, state: "posted", order: facts("d", { changedAt: 4 }), paid: "noted", rungIn: "b", route: "r" },
    e: { ...posted, state: "settled", order: facts("e"), paid: "rung", refunded: "noted" },
    strange: 5,
  },
  "sights:1": { seen: { statuses: ["", "PAID"], rung: ["PAID"] }, noticed: { statuses: ["PAID"] } },
  "routed:1": {
    "r a": { route: "r", order, event: "PAID", channelIds: ["k"], foundAt: 6, sentSince: 5 },
    "r strange": null,
  },
  reminders: {
    1: [
      ["d", "c", "m", 3, true],
      ["e", "c", "m", 2, false],
      ["owed", "c", "n", 5, 4],
    ],
  },
  "id-lists": { "1:owed": { first: 1, last: 1 } },
  "id-list-parts": { "1:owed:1": ["owed"] },
  "ledger:2": { b: { state: "owed", order: facts("b", { customer }), channelIds: ["c"], foundAt: 1 } },
  "open-orders": { 2: ["b"] },
};
/** In the outbox: a message may have been sent. */
const attempt = (channelId: string, at: number, members: readonly string[] = []) => {
  return { channelId, members, shown: members.map(() => "PENDING"), at };
};
const alertOf = (orderId: string, more: object) => ({ kind: "alert", orderId, foundAt: 2, attempts: [], ...more });
const below = { channelId: "c", messageId: "m" };
const replyOf = (what: string, of: object, more: object) => ({ kind: "reply", what, facts: of, ...below, ...more });
const reminderOf = (orderIds: readonly string[], more: object) => ({ kind: "reminder", orderIds, ...below, ...more });
const stand = { ...below, members: ["d", "e"], isClassic: true };
const version3: Rows = {
  "orders:1": {
    seen: { state: "closed", isFormer: true, seen: ["PAID"], alertedFor: ["PAID"] },
    owed: { state: "planned", facts: facts("owed"), foundAt: 2 },
    restored: { state: "planned", facts: facts("restored"), foundAt: 2 },
    d: { state: "open", facts: facts("d", { changedAt: 4 }), foundAt: 3, stand: { ...stand, route: "r" } },
    e: { state: "kept", facts: facts("e"), foundAt: 3, stand, paid: true },
    strange: { state: "closed" },
    noticed: { state: "noticed", seen: ["PAID"] },
  },
  "open:1": { d: 3 },
  "outbox:1": {
    "alert/owed": alertOf("owed", { attempts: ["b", "c"].map((where) => attempt(where, 2, ["alert/owed"])) }),
    "alert/restored": alertOf("restored", { customer: "v1", route: "r", isUnsure: true, since: 1 }),
    "reply/paid/d": replyOf("paid", facts("d", { changedAt: 4 }), {
      route: "r",
      foundAt: 4,
      attempts: [attempt("b", 3)],
    }),
    "reply/refunded/e": replyOf("refunded", facts("e"), { foundAt: 3, attempts: [attempt("c", 3)] }),
    "rule/r/a": { kind: "rule", route: "r", facts: order, foundAt: 6, since: 5, attempts: [attempt("k", 6)] },
    "reminder/m": reminderOf(["d", "e"], { route: "r", foundAt: 2, attempts: [attempt("c", 2)] }),
    "reminder/n": reminderOf(["owed"], { messageId: "n", foundAt: 5, since: 4, attempts: [] }),
  },
  "orders:2": { b: { state: "planned", facts: facts("b"), foundAt: 1 } },
  "outbox:2": { "alert/b": alertOf("b", { foundAt: 1, attempts: [attempt("c", 1, ["alert/b"])] }) },
};

const guild = (id: string, more = {}) => ({ id, settings: { language: "en", privacy: "none" }, ...more });
const remind = { afterMs: 300_000, quiet: { from: 22, to: 8 } };
const told = { since: 5, told: true };
const since = 1_700_000_000_000;
const statuses = ["PENDING"];
const alerts = { channelId: "2", statuses, since };

const recordsBefore: Rows = {
  // The list lacks a server with alerts, because two processes changed it at once.
  alerting: { ids: ["11"] },
  guilds: { 11: guild("11"), 12: guild("12", { alerts }), 14: guild("14") },
  // Server 13 was removed.
  remind: { 11: remind, 13: remind },
  "route-troubles": { 11: { r1: told }, 12: { r2: told } },
  trouble: { 11: { storeDown: told } },
  "trail:11": {
    "20000.3": [
      [3, "7", "connected", ""],
      [9, "7", "taken", "order"],
    ],
    "20000.11": [[5, "8", "exported", "orders", 2, 4]],
    "20001.0": [[6, "7", "alerts_off", ""]],
  },
};
const recordsAfter: Rows = {
  [`polled:${partitionOf("11")}`]: { 11: { mark: expect.any(String) } },
  [`polled:${partitionOf("12")}`]: { 12: { mark: expect.any(String) } },
  guilds: { 11: guild("11", { remind }), 12: guild("12", { alerts }), 14: guild("14") },
  trouble: { 11: { storeDown: told, routes: { r1: told } }, 12: { routes: { r2: told } } },
  "trail:11": {
    20000: [
      [3, "7", "connected", ""],
      [5, "8", "exported", "orders", 2, 4],
    ],
    20001: [[6, "7", "alerts_off", ""]],
  },
};

const routes = [{ id: "r", name: "Paid", channelId: "3", style: "feed", status: "PAID" }];
const fresh = { statuses, since, page: 1, pass: 1, clean: true, done: false, counted: 0 };
const onPage3 = { ...fresh, page: 3, lastPage: 7, counted: 200 };
const orders = [["a", "PENDING"] as const];
const pending = (found: unknown) => ({
  found: [{ orders: found, alerting: statuses, awaited: ["PAID"], all: false }],
  isOtherStore: true,
});
const waiting = [{ orders, complete: false, baseline: fresh }];

const begun = { id: "x", store: since, state: fresh };
const ofX = { ...onPage3, of: "x" };
const earlier = { ...fresh, since: since - 5 };

/**
 * Rows of data version 5 about a server, and its baseline in version 6 (null if malformed). `is`: whether alerts are on, and
 * whether the server has a store of which nothing was read.
 */
const baselines: readonly (readonly [
  is: "on" | "unread" | "off",
  rows: Readonly<Record<string, unknown>>,
  becomes: unknown,
])[] = [
  // A reading under way, one that was begun and not polled since, and what 0.1.0 began.
  ["on", { begun, backlog: ofX }, { reading: onPage3 }],
  ["on", { begun: { ...begun, id: "y" }, backlog: ofX }, { reading: fresh }],
  ["on", { backlog: onPage3 }, { reading: onPage3 }],
  // Another store: not polled yet, nothing known of it, and a status that was added before a poll.
  [
    "unread",
    {
      begun: { ...begun, store: since - 5 },
      backlog: { ...ofX, since: since - 5 },
      waiting: [{ orders: [["b", "PAID"]], complete: true, baseline: earlier }, ...waiting],
      started: { since: since - 5 },
    },
    { reading: fresh, pending: pending(orders) },
  ],
  ["unread", { waiting: "malformed" }, { reading: fresh, pending: pending([]) }],
  [
    "unread",
    { begun: { ...begun, state: { ...fresh, counted: 5 } }, waiting },
    { reading: { ...fresh, counted: 5 }, pending: pending(orders) },
  ],
  // Another store whose reading is under way, and one whose reading has not begun.
  ["unread", { backlog: { ...onPage3, of: String(since) }, waiting, started: { since } }, { reading: onPage3 }],
  ["unread", { waiting, started: { since } }, { reading: fresh }],
  // Malformed: the reading, its beginning, and for which store the orders stand.
  ["on", { backlog: 5 }, null],
  ["on", { begun: 5, backlog: onPage3 }, null],
  ["unread", { started: 5 }, null],
  ["off", { started: { since }, waiting: [] }, undefined],
];
const each = <Value>(make: (...baseline: (typeof baselines)[number]) => Value | undefined) =>
  Object.fromEntries(
    baselines.flatMap((baseline, index) => {
      const value = make(...baseline);
      return value === undefined ? [] : [[String(index), value] as const];
    }),
  );
const baselinesBefore: Rows = {
  guilds: each((is) => ({
    ...guild("1"),
    routes,
    ...(is === "off" ? {} : { alerts: is === "unread" ? { ...alerts, isUnread: true } : alerts }),
  })),
  ...Object.fromEntries(
    ["backlog", "begun", "waiting", "started"].map((name) => [name, each((_, rows) => rows[name])]),
  ),
};
const baselinesAfter: Rows = {
  // The record no longer has a flag of its own.
  guilds: each((is) => ({ ...guild("1"), routes, ...(is === "off" ? {} : { alerts }) })),
  baseline: each((_, __, becomes) => becomes),
};

const plan = { channelId: "2", every: "week", hour: 9, since: 5 };
const digestsBefore: Rows = {
  guilds: { 11: guild("11"), 12: guild("12"), 13: guild("13") },
  // Server 99 was removed.
  digests: { 11: { timezone: "Asia/Tokyo", plan }, 12: { plan, done: "2026-11-16", blocked: {} }, 13: 5, 99: { plan } },
  taken: { 11: 5 },
  health: { 11: 5 },
};
const digestsAfter: Rows = {
  guilds: {
    11: guild("11", { digest: { timezone: "Asia/Tokyo", plan } }),
    12: guild("12", { digest: { plan } }),
    13: guild("13"),
  },
};

/** Kills the migration at each step, until it ends. */
const cutShortAnywhere = (backend: Backend, migrate: Migration) =>
  killAtEachStep(1, (killer) =>
    migrate(storageOf(killableBackend(backend, killer))).catch((error: unknown) => {
      if (!killer.killed) throw error;
    }),
  );

it.each<[string, readonly Migration[], Rows, Rows]>([
  ["2: a row for each order and for each message", [moveToOutbox], version2, version3],
  [
    "3: rows of servers, records, and days of the audit log",
    [toRowsOfServers, tablesToRecords],
    recordsBefore,
    recordsAfter,
  ],
  ["5: one row for each baseline", [toOneBaseline], baselinesBefore, baselinesAfter],
  ["6: the settings of digests in the record", [toFewerTables], digestsBefore, digestsAfter],
])("data of version %s, wherever it was cut short, and nothing else is left", async (_, migrations, before, after) => {
  const backend = await openBackend("sqlite://:memory:", { warn: () => undefined });
  const storage = storageOf(backend);
  for (const [name, rows] of Object.entries(before)) {
    for (const [key, value] of Object.entries(rows))
      await storage.table(stored(name, versions[name] ?? 1)).set(key, value);
  }
  for (const migration of migrations) await cutShortAnywhere(backend, migration);
  expect(await rowsIn(storage)).toEqual(after);
  await storage.close();
});
