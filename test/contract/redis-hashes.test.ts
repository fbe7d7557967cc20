import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Transform } from "node:stream";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { dataRecord } from "../../src/storage/data-record.ts";
import { openBackend, openStorage } from "../../src/storage/open-storage.ts";
import { dataVersion, prepareData } from "../../src/storage/prepare-data.ts";
import { absent, StorageError, type WholeStorage } from "../../src/storage/table.ts";
import { listen } from "../sandbox/listen.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { stored, valuesOf } from "../support/stored.ts";

const log = { info: () => undefined, warn: () => undefined };
const hour = 3_600_000;

describe.skipIf(!redisInstalled)("one table of many in Redis", () => {
  let server: DatabaseServer;
  let client: Redis;
  let storage: WholeStorage;

  beforeAll(async () => {
    server = await startRedisServer();
    client = new Redis(server.url);
  });
  beforeEach(async () => {
    await client.flushall();
    storage = await openStorage(server.url, log);
    return () => storage.close();
  });
  afterAll(async () => {
    await client.quit();
    await server[Symbol.asyncDispose]();
  });

  /** Commands that Redis has executed since its statistics were reset. */
  async function commandsDone(): Promise<number> {
    const said = await client.info("commandstats");
    return [...said.matchAll(/^cmdstat_(?!info|config)[^:]*:calls=(\d+)/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
  }

  it("is read and cleared by a few commands, no matter how much other data there is", async () => {
    const others = Array.from({ length: 20_000 }, (_, n) => [`shopbell:ledger:2/order ${n}`, "{}"]);
    await client.mset(others.flat());
    const table = storage.table(stored<{ n: number }>("ledger:1"));
    await table.setMany(Array.from({ length: 300 }, (_, n) => [`order ${n}`, { n }] as const));
    await client.config("RESETSTAT");

    const found: string[] = [];
    for await (const { key } of table.rows()) found.push(key);
    await table.clear();

    expect(found).toHaveLength(300);
    // Each entry takes two commands, within one script.
    expect(await commandsDone()).toBeLessThan(2 * 300 + 20);
    expect(await client.dbsize()).toBe(others.length);
  });

  it("removes everything that has expired", async () => {
    const table = storage.table(stored<{ n: number }>("drafts:1"));
    await table.set("ended", { n: 1 }, { ttlMs: -1 });
    await table.set("renewed", { n: 2 }, { ttlMs: -1 });
    await table.set("renewed", { n: 2 }, { ttlMs: hour });
    await table.set("stays", { n: 3 }, { ttlMs: -1 });
    await table.set("stays", { n: 3 });
    await table.set("deleted", { n: 4 }, { ttlMs: hour });
    await table.delete("deleted");

    const backend = await openBackend(server.url, log);
    await backend.removeExpired();
    await backend.close();

    expect((await client.hkeys("shopbell/drafts:1")).sort()).toEqual(["renewed", "stays"]);
    expect(await client.zrange("shopbell/expiring", "0", "-1")).toEqual(["drafts:1/renewed"]);
    await table.clear();
    expect(await client.keys("*")).toEqual([]);
  });

  it("commits after Redis forgot the script, and records the expiry of an entry with a key of its own", async () => {
    await client.script("FLUSH");
    const lease = storage.table(stored<{ n: number }>("lease"));
    expect(await storage.commit([lease.put(absent("a"), { n: 1 }, { ttlMs: hour })])).toBe(true);
    const ttl = await client.pttl("shopbell:lease/a");
    expect(ttl).toBeGreaterThan(hour / 2);
    expect(ttl).toBeLessThanOrEqual(hour);
  });

  it("does all of a commit or nothing if its memory is full", async () => {
    const [table, lease] = [storage.table(stored<{ n: number }>("one")), storage.table(stored<{ n: number }>("lease"))];
    await table.set("a", { n: 1 });
    const [a = absent("")] = await table.read(["a"]);
    await client.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
    const puts = [lease.put(absent("b"), { n: 2 }), table.put(a, { n: 2 })];
    await expect(storage.commit(puts)).rejects.toThrow(StorageError);
    expect(await table.get("a")).toEqual({ n: 1 });
    expect(await lease.get("b")).toBeUndefined();
    // A full Redis accepts a removal. A script that starts with one is executed as a whole.
    const isCommitted = await storage.commit([table.remove(a), lease.put(absent("b"), { n: 3 })]).catch(() => false);
    await client.config("SET", "maxmemory", "0");
    expect(await table.get("a")).toEqual(isCommitted ? undefined : { n: 1 });
    expect(await lease.get("b")).toEqual(isCommitted ? { n: 3 } : undefined);
  });

  it("does not treat foreign data as an entry", async () => {
    await client.hset("shopbell/ledger:1", "a", "torn");
    await expect(storage.table(stored("ledger:1")).get("a")).rejects.toThrow(StorageError);
  });

  it("gets the entries of earlier versions also if Redis has little memory left", async () => {
    const mebibyte = 1_048_576;
    const drafts = Array.from({ length: 50 }, (_, n) => [
      `shopbell:drafts:1/${n}`,
      `{"value":"${"x".repeat(mebibyte)}"}`,
    ]);
    await client.mset(drafts.flat());
    const [, used] = /used_memory:(\d+)/.exec(await client.info("memory")) ?? [];
    await client.config("SET", "maxmemory", Number(used) + 25 * mebibyte, "maxmemory-policy", "noeviction");
    await storage.moveToHashes().finally(() => client.config("SET", "maxmemory", "0"));
    expect(await client.hlen("shopbell/drafts:1")).toBe(50);
    expect(await client.dbsize()).toBe(1);
  });

  it("has all entries that earlier versions kept as keys of their own, with their expiry, even if the move was interrupted", async () => {
    const expires = Date.now() + hour;
    const old = {
      "shopbell:guilds/1": '{"value":{"id":"1"},"v":1}',
      "shopbell:claims:1/order/1": '{"value":{"n":1}}',
      "shopbell:claims:1/order 2": '{"value":{"n":2},"v":1}',
      "shopbell:drafts:1/a": `{"value":{"n":3},"expires":${expires},"v":1}`,
    };
    await client.mset(old);
    await client.pexpireat("shopbell:drafts:1/a", expires);
    // A key of a queue that shares the database, and an entry whose move was interrupted after the first write.
    await client.hset("shopbell:77:polls:meta", "a", "b");
    await client.hset("shopbell/claims:1", "order/1", old["shopbell:claims:1/order/1"]);

    await prepareData(storage, { url: server.url, keepOut: async () => async () => undefined, log });
    await storage.moveToHashes();

    expect((await dataRecord.read(storage))?.version).toBe(dataVersion);
    const claims = storage.table(stored<{ n: number }>("claims:1"));
    expect(await valuesOf(claims, ["order/1", "order 2"])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await storage.table(stored<{ id: string }>("guilds")).get("1")).toEqual({ id: "1" });
    expect(await storage.table(stored<{ n: number }>("drafts:1")).get("a")).toEqual({ n: 3 });
    expect(Number(await client.zscore("shopbell/expiring", "drafts:1/a"))).toBeCloseTo(expires, -5);
    expect((await client.keys("*")).sort()).toEqual([
      "shopbell/claims:1",
      "shopbell/drafts:1",
      "shopbell/expiring",
      "shopbell/guilds",
      "shopbell:77:polls:meta",
      "shopbell:data/storage",
    ]);
  });
});

it.skipIf(!redisInstalled).each([
  ["as the installed one", "READONLY"],
  ["as Redis 6", "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY"],
])(
  "after a failover, when the former Redis is a replica and refuses a script %s, the storage works with the new one",
  async (_, refusal) => {
    await using former = await startRedisServer();
    await using next = await startRedisServer();
    let primary = former;
    // An address that leads to the primary, such as a name in DNS. Connections that are open stay where they are.
    const address = createServer((near) => {
      const far = connect(Number(new URL(primary.url).port), "127.0.0.1");
      const reworded = new Transform({
        transform: (answer, _encoding, done) => done(null, String(answer).replace(/^-READONLY/, `-${refusal}`)),
      });
      near.pipe(far).on("error", () => near.destroy());
      far
        .pipe(reworded)
        .pipe(near)
        .on("error", () => far.destroy());
    });
    const storage = await openStorage(`redis://${await listen(address)}`, log);
    const table = storage.table(stored<{ n: number }>("one"));
    await table.set("a", { n: 1 });

    primary = next;
    const admin = new Redis(former.url);
    await admin.replicaof("127.0.0.1", new URL(next.url).port);
    await expect(table.set("a", { n: 2 })).rejects.toThrow(StorageError);
    await vi.waitFor(() => table.set("a", { n: 3 }), { timeout: 10_000, interval: 50 });
    expect(await table.get("a")).toEqual({ n: 3 });

    await admin.quit();
    await storage.close();
    address.close();
    await once(address, "close");
  },
);
