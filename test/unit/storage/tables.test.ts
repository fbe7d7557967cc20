import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { baselineTable } from "../../../src/baseline/baseline-row.ts";
import { newListBaseline } from "../../../src/baseline/baseline-rules.ts";
import { gatewayTable } from "../../../src/discord/gateway/gateway-sessions.ts";
import { identifiesTable } from "../../../src/discord/gateway/identify-throttle.ts";
import { greetedTable } from "../../../src/discord/publishing/greeter.ts";
import { publishedTable } from "../../../src/discord/publishing/publish-commands.ts";
import { forgetServer } from "../../../src/forget-server.ts";
import { guildsTable } from "../../../src/guilds/guilds.ts";
import { auditLogTable } from "../../../src/handling/audit-log.ts";
import { takesTable } from "../../../src/handling/takes.ts";
import { witnessesTable } from "../../../src/orders/ledger.ts";
import { openOrdersTable, ordersTable } from "../../../src/orders/order-row.ts";
import { outboxTable } from "../../../src/orders/outbox-row.ts";
import { digestStatesTable } from "../../../src/outbox/digest-due.ts";
import { noticesTable } from "../../../src/outbox/notices.ts";
import { partitionsTable } from "../../../src/polling/held-partitions.ts";
import { leasesTable } from "../../../src/polling/process-lease.ts";
import { importedTable, importsTable } from "../../../src/reports/import-records.ts";
import { storedSumsTable } from "../../../src/reports/stored-sums.ts";
import { sessionKinds } from "../../../src/sessions/session-kinds.ts";
import { keptTable, sessionsTable } from "../../../src/sessions/sessions.ts";
import { copyTable, dataTable, storageIdTable } from "../../../src/storage/data-record.ts";
import { changesTable, polledTable } from "../../../src/storage/polled-servers.ts";
import { StorageError, type TableShape } from "../../../src/storage/table.ts";
import { keysIn, stored, storedBefore } from "../../support/stored.ts";
import { useStorage } from "../../support/use-storage.ts";

const order = { id: "a", status: "PENDING", items: [{ title: "x", quantity: 1 }], total: 5, paymentMethod: "PIX" };
const planned = { state: "planned", facts: order, foundAt: 1 };
const stand = { channelId: "c", messageId: "m", members: ["a"] };
const open = { state: "open", facts: order, foundAt: 1, stand };
const attempts = [{ channelId: "c", members: ["alert/a"], shown: ["PENDING"], at: 1 }];
const answered = { facts: order, channelId: "c", messageId: "m", foundAt: 1, attempts: [] };
const holder = { host: "h", pid: 1, at: 5 };
const guild = {
  id: "1",
  settings: { language: "es", privacy: "masked" },
  token: { sealed: "v1.x.y", last4: "WXYZ", since: 1, refusedAt: 2 },
};
const gatewaySession = {
  applicationId: "1",
  shardCount: 16,
  sessionId: "s",
  resumeUrl: "wss://gateway.example",
  sequence: 5,
  process: "p",
};
const found = { orders: [["a", "PENDING"]], alerting: ["PENDING"], awaited: [], all: false };
const list = newListBaseline(["PENDING"], 1);
const read = { ...list, done: true, counted: 5 };
const baseline = { lists: [list], unpaid: ["a"] };
const blocked = { reason: "forbidden", since: 3, told: true };
const digest = {
  timezone: "America/Sao_Paulo",
  plan: { channelId: "2", every: "week" as const, hour: 9, since: 5 },
};
const digestState = {
  done: { every: "week", day: "2026-11-16", at: 7 },
};
const lines = [{ name: "PAID", count: 2, amount: "-1050000000" }];
const daySums = {
  of: "UTC 1",
  readAt: 5,
  isWhole: true,
  sums: {
    orders: 3,
    sold: { count: 2, amount: "1050000000" },
    statuses: lines,
    methods: lines,
    products: [{ title: "Moon Racer", pieces: "200000000" }],
    otherProducts: 1,
    hours: Array.from({ length: 24 }, (_, hour) => hour),
  },
};
const told = { since: 7, told: true };

interface Row {
  readonly shape: TableShape<unknown>;
  /** Set if each server has a table of its own. */
  readonly part?: string;
  /** Whether the table has a row for each server, which is deleted with the server. */
  readonly isOfServers?: true;
  /** As 0.1.0 wrote them. If the table is newer: as written without a version. */
  readonly before: readonly (readonly [written: unknown, read: unknown])[];
  /** What is read if `value` does not fit. "failure": nothing may be concluded. */
  malformed(value: unknown): unknown;
}

/** A shape takes no value of another one, so its type is lost in a list of all. */
const row = <T>(shape: TableShape<T>, others: Omit<Row, "shape">): Row => {
  return { shape: { ...shape, schema: shape.schema.transform((value): unknown => value) }, ...others };
};
const same = (...values: unknown[]) => values.map((value) => [value, value] as const);
const failure = () => "failure";

const rows: Readonly<Record<string, Row>> = {
  guildsTable: row(guildsTable, {
    before: [
      ...same(
        guild,
        { ...guild, settings: { ...guild.settings, timezone: "America/Sao_Paulo" } },
        { ...guild, digest },
      ),
      [{ ...guild, digest: { plan: 5 } }, guild],
    ],
    malformed: () => expect.any(z.ZodError),
  }),
  ordersTable: row(ordersTable, {
    part: "1",
    before: same({ state: "noticed", seen: ["PAID"] }, { state: "closed", isFormer: true }, planned, open, {
      ...open,
      state: "kept",
      alertedFor: ["PAID"],
      paid: true,
      stand: { ...stand, route: "r", isClassic: true },
    }),
    malformed: () => ({ state: "closed" }),
  }),
  openOrdersTable: row(openOrdersTable, {
    part: "1",
    before: same(5),
    malformed: (value) => (typeof value === "number" ? value : 0),
  }),
  witnessesTable: row(witnessesTable, {
    isOfServers: true,
    before: same([], ["a", "b"]),
    malformed: () => [],
  }),
  outboxTable: row(outboxTable, {
    part: "1",
    before: same(
      { kind: "alert", orderId: "a", foundAt: 1, attempts, customer: "v1.x", route: "r", isUnsure: true },
      { kind: "reply", what: "paid", ...answered, since: 1 },
      { kind: "rule", route: "r", facts: order, foundAt: 1, attempts: [] },
      { kind: "reminder", channelId: "c", messageId: "m", orderIds: ["a"], foundAt: 1, attempts: [] },
      { kind: "edit", channelId: "c", messageId: "m", orderIds: ["a"], foundAt: 1, attempts: [] },
      { kind: "digest", every: "day", day: "2026-11-24", missed: 0, foundAt: 1, attempts: [] },
      null,
    ),
    malformed: () => null,
  }),
  polledTable: row(polledTable, { before: same({ mark: "m" }), malformed: () => ({ mark: "" }) }),
  changesTable: row(changesTable, { before: same({ mark: "m" }), malformed: () => ({ mark: "" }) }),
  partitionsTable: row(partitionsTable, {
    before: same({ owner: "a", epoch: "e" }),
    malformed: () => ({ owner: "", epoch: "" }),
  }),
  storageIdTable: row(storageIdTable, { before: same({ id: "a" }), malformed: failure }),
  baselineTable: row(baselineTable, {
    isOfServers: true,
    before: [
      ...same({ reading: baseline }, { reading: baseline, pending: { found: [found], isOtherStore: true } }),
      [
        { reading: { ...read, since: 9, skipped: [2], beginnings: [{ statuses: ["PENDING"], since: 1 }] } },
        { reading: { lists: [read] } },
      ],
    ],
    malformed: failure,
  }),
  digestStatesTable: row(digestStatesTable, {
    isOfServers: true,
    before: same(digestState, {}),
    malformed: () => expect.anything(),
  }),
  storedSumsTable: row(storedSumsTable, { part: "1", before: same(daySums, null), malformed: () => null }),
  noticesTable: row(noticesTable, {
    isOfServers: true,
    before: [
      ...same(
        { problems: {} },
        { health: { lastGoodAt: 5, lastError: { code: "storage", at: 7 } }, problems: { rule: told } },
      ),
      [{}, { problems: {} }],
      [
        { storeDown: told, blocked, routes: { rule: told }, digest: { ...told, plan: 5 } },
        { problems: { storeDown: told, blocked: { since: 3, told: true }, rule: told, "digest 5": told } },
      ],
    ],
    malformed: () => ({ problems: {} }),
  }),
  leasesTable: row(leasesTable, {
    before: same(holder, { ...holder, beat: 3, pids: "pid:[1]", shares: true, roundAt: 5 }),
    malformed: () => ({ host: "", pid: 0 }),
  }),
  dataTable: row(dataTable, {
    before: same({ version: 1, shopbell: "0.1.0" }, { version: 1, shopbell: "0.1.0", importOf: "a" }),
    malformed: failure,
  }),
  copyTable: row(copyTable, {
    before: same({ copiedAt: 5 }, { copiedAt: 5, restoredAt: 7 }),
    malformed: () => ({ copiedAt: 0 }),
  }),
  greetedTable: row(greetedTable, { before: same({ joinedAt: 5 }), malformed: () => ({ joinedAt: 0 }) }),
  gatewayTable: row(gatewayTable, { before: same(gatewaySession, null), malformed: () => null }),
  identifiesTable: row(identifiesTable, {
    before: same({ until: 5 }),
    malformed: () => ({ until: 0 }),
  }),
  publishedTable: row(publishedTable, { before: same("fingerprint"), malformed: () => "" }),
  sessionsTable: row(sessionsTable("drafts"), {
    part: "1",
    before: [
      ...same({ userId: "ana", sealed: "v1.x.y" }),
      // Earlier rows also say when the session ends.
      [
        { userId: "ana", until: 5, sealed: "v1.x.y" },
        { userId: "ana", sealed: "v1.x.y" },
      ],
    ],
    malformed: () => null,
  }),
  importedTable: row(importedTable, {
    part: "1",
    before: same({ state: "sent", since: 5, at: 7 }, { state: "created", id: "a", store: "1", at: 5 }),
    malformed: () => ({ state: "sent", since: 0, at: 0 }),
  }),
  importsTable: row(importsTable, {
    isOfServers: true,
    before: same({ rows: 5 }, { rows: 5, run: { name: "a", at: 5, isToStop: true } }),
    malformed: () => ({ rows: 0 }),
  }),
  auditLogTable: row(auditLogTable, {
    part: "1",
    before: [...same([[5, "1", "staff", "2"]], [[7, "1", "exported", null, 3, 5]])],
    malformed: () => [],
  }),
  takesTable: row(takesTable, {
    part: "1",
    before: same(
      { by: "1", at: 5 },
      { by: "1", at: 5, done: { by: "2", at: 7 } },
      { past: [{ press: "back", by: "1", at: 5 }] },
      null,
    ),
    malformed: () => null,
  }),
  keptTable: row(keptTable("drafts"), {
    isOfServers: true,
    before: same([{ name: "name", userId: "ana", bytes: 5, until: 7, isPinned: true }]),
    malformed: () => [],
  }),
};

/** No table takes these. What some tables would take is made worse. */
const strangers: readonly unknown[] = [null, 5, [5], [["x"]], { state: 7, storeDownSince: "x", id: 1, sealed: 5 }];
/** Stored texts that are no entries. */
const noEntries = ["", "no JSON", "null", "5", "{}", '{"value":5,"v":"x"}'];

describe("every table", () => {
  const storage = useStorage();

  const nameOf = ({ shape, part }: Row) => (part === undefined ? shape.name : `${shape.name}:${part}`);

  /** "failure" if reading throws. */
  const readIn = ({ shape, part }: Row): Promise<unknown> =>
    storage
      .table(shape, part)
      .get("key")
      .catch((error: unknown) => (error instanceof StorageError ? "failure" : error));

  it("is looked at here", async () => {
    const root = resolve(import.meta.dirname, "../../../src");
    const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith(".ts"));
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
    const declared = texts.flatMap((text) =>
      [...text.matchAll(/const (\w+)(?:: | = \(.*\): )TableShape</g)].map(([, name]) => name),
    );
    expect(declared.sort()).toEqual(Object.keys(rows).sort());
  });

  it.each(Object.entries(rows))(
    "%s reads what earlier versions wrote, and says what other values mean",
    async (_, row) => {
      for (const [written, read] of row.before) {
        await storage.table(storedBefore(nameOf(row))).set("key", written);
        expect(await readIn(row)).toEqual(read);
        await storage.table(row.shape, row.part).set("key", read);
        expect(await readIn(row)).toEqual(read);
      }
      for (const value of strangers) {
        await storage.table(stored(nameOf(row))).set("key", value);
        expect(await readIn(row), JSON.stringify(value)).toEqual(row.malformed(value));
      }
      for (const raw of noEntries) {
        await storage.writeRaw([{ table: nameOf(row), key: "key", raw }]);
        expect(await readIn(row), raw).toEqual(row.malformed(undefined));
      }
      const later = { ...stored(nameOf(row)), version: row.shape.version + 1 };
      await storage.table(later).set("key", row.before[0]?.[1]);
      expect(await readIn(row)).toBe("failure");
    },
  );
});

describe("a server that is forgotten", () => {
  const storage = useStorage();

  it("leaves no row in any table, and every row of another server", async () => {
    const tablesOf = ({ shape, part }: Row) =>
      part === undefined ? [stored(shape.name)] : ["1", "2"].map((server) => stored(`${shape.name}:${server}`));
    for (const row of Object.values(rows)) {
      for (const table of tablesOf(row)) for (const key of ["1", "2"]) await storage.table(table).set(key, 5);
    }
    await forgetServer(storage, "1");

    for (const [name, row] of Object.entries(rows)) {
      const left = await Promise.all(tablesOf(row).map((table) => keysIn(storage, table.name)));
      const own = row.part === undefined ? undefined : [[], ["1", "2"]];
      expect(left, name).toEqual(own ?? [row.isOfServers ? ["2"] : ["1", "2"]]);
    }
  });

  it("leaves no session of any kind", async () => {
    const root = resolve(import.meta.dirname, "../../../src/sessions");
    const texts = await Promise.all((await readdir(root)).map((file) => readFile(join(root, file), "utf8")));
    const declared = texts.flatMap((text) => [
      ...text.matchAll(/const \w+: SessionKind<\w+> = \{\s+name: "([\w-]+)"/g),
    ]);
    expect(sessionKinds.map(({ name }) => name).sort()).toEqual(declared.map(([, name]) => name).sort());
  });
});
