import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, type Storage, type Table } from "../../src/storage/table.ts";
import {
  type DatabaseServer,
  postgresInstalled,
  runSql,
  startPostgresServer,
} from "../support/process/database-server.ts";
import { stored, valuesOf } from "../support/stored.ts";

type Value = { readonly n: number };

const log = { warn: () => undefined };
const soon = { timeout: 60_000, interval: 10 };
const raw = (n: number) => `{"value":{"n":${n}},"v":1}`;

/** Fails if PostgreSQL, given the choice, would scan all tables to read or clear one. */
const assertByIndex = `DO $$ DECLARE line text; plan text := ''; BEGIN
  SET LOCAL enable_seqscan = off;
  FOR line IN EXPLAIN DELETE FROM public.shopbell WHERE namespace = 'guilds' LOOP plan := plan || line; END LOOP;
  FOR line IN EXPLAIN SELECT * FROM public.shopbell WHERE (namespace, key) > ('guilds', '')
    AND namespace = COALESCE('guilds', namespace) ORDER BY namespace, key LIMIT 9 LOOP plan := plan || line; END LOOP;
  IF plan NOT LIKE '%shopbell_namespace_idx%shopbell_namespace_idx%' THEN RAISE EXCEPTION '%', plan; END IF; END $$`;

/** The table as @keyv/postgres 6.0.0-beta.4 made it, with two entries. */
const madeBefore = `CREATE TABLE public.shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) DEFAULT NULL, expires BIGINT DEFAULT NULL);
  CREATE UNIQUE INDEX shopbell_key_namespace_idx ON public.shopbell (key, COALESCE(namespace, ''));
  CREATE INDEX shopbell_expires_idx ON public.shopbell (expires) WHERE expires IS NOT NULL;
  INSERT INTO public.shopbell VALUES ('a', '{"value":{"n":1},"v":1}', 'guilds', NULL),
    ('b', '{"value":{"n":2},"expires":1}', 'guilds', 1)`;

describe.skipIf(!postgresInstalled)("PostgreSQL", () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("has the entries of earlier versions", async () => {
    await runSql(server.url, madeBefore);
    const storage = await openStorage(server.url, log);
    const table = storage.table(stored<{ n: number }>("guilds"));
    expect(await valuesOf(table, ["a", "b"])).toEqual([{ n: 1 }, undefined]);
    await table.set("a", { n: 3 });
    await table.set("b", { n: 4 });
    expect(await valuesOf(table, ["a", "b"])).toEqual([{ n: 3 }, { n: 4 }]);
    await storage.close();
  });

  it("reads and clears one table without scanning the others, also if processes that start together make the index", async () => {
    await runSql(server.url, "DROP INDEX IF EXISTS shopbell_namespace_idx");
    const storages = await Promise.all(Array.from({ length: 4 }, () => openStorage(server.url, log)));
    await Promise.all(storages.map((storage) => storage.close()));
    await runSql(server.url, assertByIndex);
  });

  describe("a commit that has to wait for another transaction", () => {
    let storage: Storage;
    let table: Table<Value>;
    let other: pg.Client;

    beforeAll(async () => {
      storage = await openStorage(server.url, log);
      table = storage.table(stored<Value>("one"));
      other = new pg.Client(server.url);
      await other.connect();
    });
    afterAll(async () => {
      await other.end();
      await storage.close();
    });
    beforeEach(async () => {
      // Ends the transaction of a test that failed.
      await other.query("ROLLBACK");
      await table.clear();
    });

    const write = (key: string, n: number) =>
      other.query(
        `INSERT INTO shopbell VALUES ($1, $2, 'one', NULL)
          ON CONFLICT (key, COALESCE(namespace, '')) DO UPDATE SET value = excluded.value`,
        [key, raw(n)],
      );
    const waiting = () =>
      vi.waitFor(async () => {
        const { rows } = await other.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        expect(rows).toHaveLength(1);
      }, soon);

    const works = {
      changes: () => write("a", 3),
      "changes back": () => write("a", 1),
      removes: () => other.query("DELETE FROM shopbell WHERE key = 'a'"),
    };

    it.each<
      readonly [
        read: number | undefined,
        now: number | undefined,
        work: keyof typeof works,
        step: "put" | "remove" | "expect",
        end: "COMMIT" | "ROLLBACK",
        isCommitted: boolean,
        after: number | undefined,
      ]
    >([
      [1, 1, "changes", "put", "COMMIT", false, 3],
      [1, 1, "changes", "remove", "COMMIT", false, 3],
      [1, 1, "changes", "expect", "COMMIT", false, 3],
      [1, 1, "changes", "put", "ROLLBACK", true, 9],
      [1, 1, "changes", "remove", "ROLLBACK", true, undefined],
      [1, 1, "changes", "expect", "ROLLBACK", true, 1],
      // Its snapshot is older than the row that was changed back.
      [1, 2, "changes back", "put", "COMMIT", true, 9],
      [1, 1, "removes", "put", "COMMIT", false, undefined],
      [undefined, 1, "removes", "put", "COMMIT", true, 9],
      [undefined, undefined, "changes", "put", "COMMIT", false, 3],
      [undefined, undefined, "changes", "expect", "COMMIT", false, 3],
      [undefined, undefined, "changes", "put", "ROLLBACK", true, 9],
      [undefined, undefined, "changes", "expect", "ROLLBACK", true, undefined],
    ])(
      "whose row was read as %j and is %j, and which that transaction %s: %s, after its %s: %j, %j",
      async (read, now, work, step, end, isCommitted, after) => {
        if (read !== undefined) await table.set("a", { n: read });
        const [row = absent("a")] = read === undefined ? [] : await table.read(["a"]);
        if (now !== undefined) await table.set("a", { n: now });
        const beside = randomUUID();
        await other.query("BEGIN");
        await works[work]();
        const put = table.put(absent(beside), { n: 0 });
        const outcome = storage.commit([put, step === "put" ? table.put(row, { n: 9 }) : table[step](row)]);
        outcome.catch(() => undefined);
        await waiting();
        await other.query(end);
        expect(await outcome).toBe(isCommitted);
        expect((await table.get("a"))?.n).toBe(after);
        expect(await table.get(beside)).toEqual(isCommitted ? { n: 0 } : undefined);
      },
    );

    it("is repeated if PostgreSQL ends it because of a deadlock", async () => {
      await table.setMany([
        ["a", { n: 1 }],
        ["b", { n: 1 }],
      ]);
      const rows = await table.read(["a", "b"]);
      await other.query("BEGIN");
      await other.query("SET LOCAL deadlock_timeout = '10s'");
      await write("b", 1);
      const outcome = storage.commit(rows.map((row) => table.put(row, { n: 2 })));
      await waiting();
      // The commit holds a and waits for b. The side with the shorter timeout finds the deadlock and ends.
      await write("a", 1);
      await other.query("COMMIT");
      expect(await outcome).toBe(true);
      expect(await valuesOf(table, ["a", "b"])).toEqual([{ n: 2 }, { n: 2 }]);
    });
  });
});
