import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkQueue } from "../../src/doctor/check-queue.ts";
import { checkStorage } from "../../src/doctor/check-storage.ts";
import { inspectStorage } from "../../src/storage/inspect-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { storageRemedy } from "../../src/storage/storage-reason.ts";
import { absent, StorageError } from "../../src/storage/table.ts";
import {
  postgresInstalled,
  redisInstalled,
  runSql,
  startPostgresServer,
  startRedisServer,
} from "../support/process/database-server.ts";
import { freePort } from "../support/process/free-port.ts";
import { keysIn, stored, valuesOf } from "../support/stored.ts";
import { createSqliteFixture, type StorageFixture, storageKinds } from "./storage-fixtures.ts";

const log = { warn: () => undefined };
const shape = stored<{ text: string }>("table");

describe.each(storageKinds)("an inspection of $kind", ({ installed, create, packages, kind }) => {
  if (!installed) return void it.skip(`needs ${packages}: apt-get install ${packages}`);
  let fixture: StorageFixture;
  beforeAll(async () => {
    fixture = await create();
  });
  afterAll(() => fixture.remove());

  if (kind === "postgres") {
    it("creates no table", async () => {
      expect((await inspectStorage(fixture.url)).storage).toBeUndefined();
      // The first statement fails if the table exists.
      await runSql(fixture.url, "CREATE TABLE public.shopbell(); DROP TABLE public.shopbell");
    });
  }

  it("reads the data, even while a bot writes, and refuses every write", async () => {
    const open = await openStorage(fixture.url, log);
    await open.table(shape).set("one", { text: "1" });
    const { storage, problem } = await inspectStorage(fixture.url);
    expect(problem).toBeUndefined();
    const table = storage?.table(shape);
    expect(await table?.get("one")).toEqual({ text: "1" });
    await open.table(shape).set("two", { text: "2" });
    expect(table && (await valuesOf(table, ["two", "three"]))).toEqual([{ text: "2" }, undefined]);
    expect(storage && (await keysIn(storage, "table")).sort()).toEqual(["one", "two"]);
    const writes = [
      () => table?.set("one", { text: "x" }),
      () => table?.setMany([["one", { text: "x" }]]),
      () => table?.delete("one"),
      () => table?.deleteMany(["one"]),
      () => table?.clear(),
      () => storage?.commit([storage.table(shape).put(absent("three"), { text: "x" })]),
    ];
    for (const write of writes) await expect(write()).rejects.toBeInstanceOf(StorageError);
    expect(await open.table(shape).get("one")).toEqual({ text: "1" });
    await storage?.close();
    await open.close();
  });

  it("fails if there can be no storage, or no server answers", async () => {
    const found = await inspectStorage(fixture.nowhere).catch((error: unknown) => error);
    if (kind !== "sqlite") expect(found).toBeInstanceOf(StorageError);
    else
      expect(found).toMatchObject({
        storage: undefined,
        problem: expect.stringMatching("^this user may not write to /dev/null; "),
      });
  });
});

describe("an inspection of a SQLite file", () => {
  let fixture: Awaited<ReturnType<typeof createSqliteFixture>>;
  beforeEach(async () => {
    fixture = await createSqliteFixture();
  });
  afterEach(() => fixture.remove());

  it("creates neither a file nor a directory, and reports the free space", async () => {
    const { storage, freeBytes } = await inspectStorage(fixture.url);
    expect(storage).toBeUndefined();
    expect(freeBytes).toBeGreaterThan(0);
    expect(await readdir(dirname(dirname(fixture.file)))).toEqual([]);
  });

  it("throws if the file is no database, or belongs to another program", async () => {
    await mkdir(dirname(fixture.file));
    await writeFile(fixture.file, "not a database at all, but long enough to be looked at as one".repeat(100));
    await expect(inspectStorage(fixture.url)).rejects.toBeInstanceOf(StorageError);
  });
});

it.skipIf(!redisInstalled)(
  "the doctor says of the queue's Redis whether it answers, and says no password",
  async () => {
    await using redis = await startRedisServer();
    expect(await checkQueue(redis.url)).toMatchObject({ state: "ok" });

    const client = new Redis(redis.url);
    await client.config("SET", "maxmemory", "1gb", "maxmemory-policy", "allkeys-lru");
    const remedy = expect.stringContaining("noeviction");
    expect(await checkQueue(redis.url)).toMatchObject({ state: "warn", remedy });
    await client.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
    expect(await checkQueue(redis.url)).toMatchObject({ remedy: "raise maxmemory there" });
    await client.config("SET", "maxmemory", "0");
    await client.replicaof("127.0.0.1", "1");
    expect(await checkQueue(redis.url)).toMatchObject({ state: "wrong", remedy: "name its primary in QUEUE_URL" });
    client.disconnect();

    const withPassword = redis.url.replace("redis://", "redis://somebody:a-password@");
    const refused = await checkQueue(withPassword);
    expect(refused).toMatchObject({ state: "wrong", says: expect.stringContaining("WRONGPASS") });
    expect(JSON.stringify(refused)).not.toContain("a-password");

    await redis.kill();
    expect(await checkQueue(redis.url)).toMatchObject({
      state: "wrong",
      says: expect.stringContaining("ECONNREFUSED"),
    });
  },
);

/** As start and doctor say it. */
const judged = async (url: string) => {
  const { results } = await checkStorage(url);
  const failure = await openStorage(url, log).then(
    (storage) => storage.close(),
    (error: unknown) => storageRemedy(error),
  );
  return { ...results[0], start: failure };
};

it.skipIf(!redisInstalled)("a Redis without this database is refused, and one that forgets is wrong", async () => {
  await using redis = await startRedisServer();
  expect(await judged(redis.url)).toMatchObject({ state: "ok", says: expect.stringContaining("it has no data yet") });

  // Before, the client went on with database 0.
  const start = "correct the number of the database at the end of STORAGE_URL";
  expect(await judged(`${redis.url}/99`)).toMatchObject({
    state: "wrong",
    says: expect.stringContaining("DB index is out of range"),
    remedy: start,
    start,
  });

  const client = new Redis(redis.url);
  await client.config("SET", "appendonly", "no");
  expect(await judged(redis.url)).toMatchObject({ state: "wrong", remedy: "set appendonly to yes there" });

  // A backup by its host fails, but this Redis needs no snapshots. Before: it may take no writes.
  await rm(redis.directory, { recursive: true });
  await client.bgsave();
  await expect.poll(() => client.info("persistence")).toContain("rdb_last_bgsave_status:err");
  expect(await client.set("key", "value")).toBe("OK");
  expect(await judged(redis.url)).toMatchObject({ state: "wrong", remedy: "set appendonly to yes there" });

  // With snapshots, Redis refuses every write after one that cannot be written, for example because the disk is full.
  await client.config("SET", "save", "3600 1");
  expect(await client.set("key", "value").catch(String)).toMatch("MISCONF");
  client.disconnect();
  expect(await judged(redis.url)).toMatchObject({
    state: "wrong",
    says: "this Redis could not save its data, so it takes no writes",
  });
});

it.skipIf(!postgresInstalled)("a PostgreSQL that takes no writes is wrong", async () => {
  await using server = await startPostgresServer();
  await (await openStorage(server.url, log)).close();
  expect(await judged(server.url)).toMatchObject({ state: "ok" });
  // Many hosts do this when the disk is nearly full.
  await runSql(server.url, "ALTER DATABASE postgres SET default_transaction_read_only = on");
  expect(await judged(server.url)).toMatchObject({ state: "wrong", says: "this PostgreSQL takes no writes" });
});

it.skipIf(!postgresInstalled).each([
  ["LATIN1", "wrong"],
  ["SQL_ASCII", "ok"],
])("a PostgreSQL database with the encoding %s is %s", async (encoding, state) => {
  await using server = await startPostgresServer();
  await runSql(server.url, `CREATE DATABASE other ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
  const url = server.url.replace(/postgres$/, "other");
  const storage = await openStorage(url, log);
  const table = storage.table(stored<string>("orders:1"));
  const isKept = table.set("a", "₿🎉").then(
    () => true,
    () => false,
  );

  // The doctor says what a write of any text leads to.
  expect(await isKept).toBe(state === "ok");
  expect(await judged(url)).toMatchObject({ state });
  await storage.close();
});

it("an inspection of PostgreSQL asks for no options, because PgBouncer refuses them", async () => {
  let asked = "";
  await using server = createServer((connection) => {
    connection.once("data", (startup) => {
      asked = startup.toString();
      connection.destroy();
    });
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await expect(inspectStorage(`postgres://shopbell@127.0.0.1:${port}/shopbell`)).rejects.toThrow(StorageError);
  expect(asked).toContain("application_name");
  expect(asked).not.toContain("options");
});

it.skipIf(!postgresInstalled)("a PostgreSQL without a right, database or user is refused with the remedy", async () => {
  await using server = await startPostgresServer();
  await runSql(server.url, "CREATE ROLE guest LOGIN");
  const cases = [
    [server.url.replace("shopbell@", "guest@"), "may not create the table", "GRANT CREATE"],
    [server.url.replace(/postgres$/, "nowhere"), "does not exist", "CREATE DATABASE"],
    [server.url.replace("shopbell@", "nobody@"), "does not exist", "correct user and password"],
  ] as const;
  for (const [url, says, remedy] of cases) {
    expect(await judged(url)).toMatchObject({
      state: "wrong",
      says: expect.stringContaining(says),
      remedy: expect.stringContaining(remedy),
      start: expect.stringContaining(remedy),
    });
  }
});
