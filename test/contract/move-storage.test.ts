import { randomUUID } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { lockOutBots } from "../../src/polling/lock-out-bots.ts";
import { copyStamp, dataRecord } from "../../src/storage/data-record.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { DataError, dataVersion, prepareData } from "../../src/storage/prepare-data.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { postgresInstalled, redisInstalled } from "../support/process/database-server.ts";
import { runOperatorTool } from "../support/process/operator-tool.ts";
import { stored, storedBefore } from "../support/stored.ts";
import { createPostgresFixture, createRedisFixture, createSqliteFixture } from "./storage-fixtures.ts";

const log = createLog("silent");
const hour = 3_600_000;
/** Not moved, because each storage has its own. */
const ownTables = new Set(["members", "partitions", "data", "copy"]);

let source: Awaited<ReturnType<typeof createSqliteFixture>>;
let directory: string;

beforeEach(async () => {
  source = await createSqliteFixture();
  directory = dirname(dirname(source.file));
});
afterEach(() => source.remove());

const tool = (name: "export" | "import", file: string, url: string) =>
  runOperatorTool(name, join(directory, file), { directory, environment: { STORAGE_URL: url } });

async function opened<Result>(url: string, work: (storage: WholeStorage) => Promise<Result>): Promise<Result> {
  const storage = await openStorage(url, log);
  return work(storage).finally(() => storage.close());
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

/** By table and key, as JSON if possible. */
async function contents(url: string): Promise<Map<string, unknown>> {
  return opened(url, async (storage) => {
    const found = new Map<string, unknown>();
    for await (const page of storage.rawEntries()) {
      for (const { table, key, raw } of page) if (!ownTables.has(table)) found.set(`${table}/${key}`, parsed(raw));
    }
    return found;
  });
}

/** Some entries are typical, and others are hard to move. */
async function fill(url: string) {
  await opened(url, async (storage) => {
    for (const server of ["1441543275172462592", "2"]) {
      const orders = Array.from({ length: 1_200 }, (_, n) => [`order ${n}`, { state: "seen", n }] as const);
      await storage.table(stored(`ledger:${server}`)).setMany(orders);
    }
    const odd = storage.table(stored("odd:a.b-c"));
    await odd.set("a/b:c d", ":escaped ::twice");
    await odd.set("ünïcode \u{1f514}", { text: "line\nend\u2028\u2029", deep: [null, 1.5e-9, { "": false }] });
    await odd.set("1", { 2: "b", 1: "a" });
    await storage.table(stored("drafts:1")).set("name", { sealed: "v1.x.y" }, { ttlMs: hour });
    await storage.table(storedBefore("guilds")).set("1", { id: "1", settings: {} });
    const spoilt = [
      { table: "guilds", key: "2", raw: "no entry" },
      { table: "ledger:2", key: "spoilt", raw: '{"value":1,"v":"one"}' },
    ];
    await storage.writeRaw(spoilt);
  });
}

it.skipIf(!postgresInstalled || !redisInstalled)(
  "moving from SQLite to PostgreSQL, to Redis and back keeps every entry, its version and its expiry",
  async () => {
    const [postgres, redis] = await Promise.all([createPostgresFixture(), createRedisFixture()]);
    const back = `sqlite://${join(directory, "back.sqlite")}`;
    await fill(source.url);
    const kept = await contents(source.url);
    expect(kept.size).toBe(2_407);

    for (const [index, [from = "", to = ""]] of [
      [source.url, postgres.url],
      [postgres.url, redis.url],
      [redis.url, back],
    ].entries()) {
      expect(await tool("export", `${index}.jsonl`, from)).toMatchObject({ code: 0 });
      expect(await tool("import", `${index}.jsonl`, to)).toMatchObject({ code: 0 });
      expect(await contents(to), to).toEqual(kept);
      // The next start migrates the data of this version.
      expect(await opened(to, dataRecord.read)).toMatchObject({ version: 1 });
      const draft = await opened(to, (storage) => storage.table(stored("drafts:1")).get("name"));
      expect(draft).toEqual({ sealed: "v1.x.y" });
      expect(await opened(to, copyStamp.read)).toEqual({ copiedAt: expect.any(Number) });
    }
    await Promise.all([postgres.remove(), redis.remove()]);
  },
);

it("an export is readable by its owner only, never replaces a file, and is refused while a bot works with the storage, as an import is", async () => {
  await fill(source.url);
  const file = join(directory, "some.jsonl");
  await tool("export", "some.jsonl", source.url);
  const before = await readFile(file);
  const again = await tool("export", "some.jsonl", source.url);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining("exists already") });
  expect(await readFile(file)).toEqual(before);

  await opened(source.url, async (storage) => {
    const held = await lockOutBots(storage);
    const during = await Promise.all([
      tool("export", "file.jsonl", source.url),
      tool("import", "some.jsonl", source.url),
    ]);
    await held?.end();

    const refused = expect.objectContaining({ code: 1, output: expect.stringContaining("End the bot") });
    expect(during).toEqual([refused, refused]);
  });
});

describe("an import", () => {
  const target = () => `sqlite://${join(directory, "target.sqlite")}`;
  const exported = async () => {
    await fill(source.url);
    await tool("export", "file.jsonl", source.url);
    return readFile(join(directory, "file.jsonl"), "utf8");
  };

  it("writes nothing if the storage has data, or if the file is truncated, lacks a line, has an invalid one, or is of a later version", async () => {
    const lines = (await exported()).trimEnd().split("\n");
    const [header = "", ...rest] = lines;
    const spoilt = [
      lines.slice(0, -1),
      lines.toSpliced(7, 1),
      lines.with(9, '{"table":'),
      [header.replace('"version":1', '"version":99'), ...rest],
    ];
    const tries = spoilt.map(async (of, index) => {
      const url = `sqlite://${join(directory, `target-${index}.sqlite`)}`;
      await writeFile(join(directory, `spoilt-${index}.jsonl`), `${of.join("\n")}\n`);
      const { code } = await tool("import", `spoilt-${index}.jsonl`, url);
      return { code, contents: await contents(url) };
    });

    expect(await Promise.all(tries)).toEqual(spoilt.map(() => ({ code: 1, contents: new Map() })));

    await opened(target(), (storage) => storage.table(stored("guilds")).set("9", { own: true }));
    const refused = await tool("import", "file.jsonl", target());
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("not empty") });
    expect([...(await contents(target())).keys()]).toEqual(["guilds/9"]);
  });

  it("that was interrupted keeps the bot from starting until the same file is imported again, and no other one", async () => {
    const copiedAt = Date.now() - hour;
    await opened(source.url, (storage) => copyStamp.write(storage, { copiedAt }));
    const text = await exported();
    const { id, exportedAt } = JSON.parse(text.slice(0, text.indexOf("\n")));
    expect(exportedAt, "the file is as old as the restored backup").toBe(copiedAt);
    await writeFile(join(directory, "other.jsonl"), text.replace(id, randomUUID()));
    const start = () =>
      opened(target(), (storage) =>
        prepareData(storage, { url: target(), keepOut: async () => async () => undefined, log }),
      );
    await opened(target(), async (storage) => {
      await dataRecord.write(storage, { version: 1, shopbell: "0.1.0", importOf: id });
      await storage.table(stored("ledger:2")).set("order 1", { state: "seen", n: 1 });
    });

    await expect(start()).rejects.toThrow(DataError);
    const other = await tool("import", "other.jsonl", target());
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining("another file") });
    expect(await tool("import", "file.jsonl", target())).toMatchObject({ code: 0 });
    expect(await contents(target())).toEqual(await contents(source.url));
    await start();
  });

  it("of data whose conversion was cut short continues the conversion at the next start", async () => {
    const record = { version: dataVersion, shopbell: "1.0.0", migratingFrom: 2 };
    await opened(source.url, (storage) => dataRecord.write(storage, record));
    await exported();
    expect(await tool("import", "file.jsonl", target())).toMatchObject({ code: 0 });
    expect(await opened(target(), dataRecord.read)).toEqual(record);
  });
});

it("a backup leaves nothing behind if the disk is full", async () => {
  // More than SQLite keeps in memory, so it writes to the disk before the disk is full.
  await opened(source.url, async (storage) => {
    const raw = JSON.stringify({ value: "x".repeat(8_000) });
    await storage.writeRaw(Array.from({ length: 1_000 }, (_, n) => ({ table: "ledger:1", key: `order ${n}`, raw })));
  });
  const environment = { STORAGE_URL: source.url };

  const full = await runOperatorTool("backup", "copy.sqlite", { directory, environment, diskBytes: 1_000_000 });

  expect(full.code).toBe(1);
  expect((await readdir(directory)).filter((name) => name.startsWith("copy"))).toEqual([]);
});

it("two backups to the same file at once leave a whole copy (before: an empty one, or none)", async () => {
  await fill(source.url);
  const expected = await contents(source.url);
  const environment = { STORAGE_URL: source.url };
  for (const file of ["copy1.sqlite", "copy2.sqlite", "copy3.sqlite", "copy4.sqlite"]) {
    const run = () => runOperatorTool("backup", file, { directory, environment });
    const codes = (await Promise.all([run(), run()])).map(({ code }) => code);
    expect(codes).toContain(0);
    expect(await contents(`sqlite://${join(directory, file)}`)).toEqual(expected);
  }
  expect((await readdir(directory)).filter((name) => name.includes(".part"))).toEqual([]);
});

/** Makes every attempt to link a file fail, as FAT, exFAT and some network drives do. */
const withoutLinks = `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
fs.link = async () => { throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" }); };
syncBuiltinESMExports();`;

it("a backup and an export can be written to a disk without links, and a backup put back there (before: EPERM)", async () => {
  await fill(source.url);
  const environment = {
    STORAGE_URL: source.url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutLinks)}`,
  };

  for (const [name, file] of [
    ["backup", "copy.sqlite"],
    ["export", "copy.jsonl"],
    ["restore", "copy.sqlite"],
  ] as const) {
    expect(await runOperatorTool(name, file, { directory, environment })).toMatchObject({ code: 0 });
  }
  expect((await readdir(directory)).filter((file) => file.startsWith("copy"))).toEqual(["copy.jsonl", "copy.sqlite"]);
  const kept = (await readdir(dirname(source.file))).filter((file) => /\.sqlite\.\d{4}-[\d-]+T[\d-]+$/.test(file));
  expect(kept).toHaveLength(1);
  expect(await contents(`sqlite://${join(dirname(source.file), kept[0] ?? "")}`)).toEqual(await contents(source.url));
});
