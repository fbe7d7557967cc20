import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, type Row, type Storage, type Table } from "../../src/storage/table.ts";
import { createPostgresServer, type DatabaseServer, postgresInstalled, runSql } from "../support/database-server.ts";
import { stored } from "../support/stored.ts";

type Value = { readonly n: number };

const log = { warn: () => undefined };
const soon = { timeout: 10_000, interval: 10 };
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
    server = await createPostgresServer();
    await server.start();
  }, 60_000);
  afterAll(() => server.remove());

  it("has the entries of earlier versions", async () => {
    await runSql(server.url, madeBefore);
    const storage = await openStorage(server.url, log);
    const table = storage.table(stored<{ n: number }>("guilds"));
    expect(await table.getMany(["a", "b"])).toEqual([{ n: 1 }, undefined]);
    await table.set("a", { n: 3 });
    await table.set("b", { n: 4 });
    expect(await table.getMany(["a", "b"])).toEqual([{ n: 3 }, { n: 4 }]);
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
    /** The connection of another process. */
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
    const rowOf = async (n: number): Promise<Row<Value>> => {
      await table.set("a", { n });
      return (await table.read(["a"]))[0] ?? absent("a");
    };
    const waiting = () =>
      vi.waitFor(async () => {
        const { rows } = await other.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        expect(rows).toHaveLength(1);
      }, soon);

    /** The result of a commit that starts during the other transaction, which did `work`. */
    async function meanwhile(
      work: () => Promise<unknown>,
      end: "COMMIT" | "ROLLBACK",
      steps: () => Parameters<Storage["commit"]>[0],
    ) {
      const beside = randomUUID();
      await other.query("BEGIN");
      await work();
      const outcome = storage.commit([table.put(absent(beside), { n: 0 }), ...steps()]);
      outcome.catch(() => undefined);
      await waiting();
      await other.query(end);
      const isCommitted = await outcome;
      expect(await table.get(beside)).toEqual(isCommitted ? { n: 0 } : undefined);
      return isCommitted;
    }

    it.each(["put", "remove", "expect"] as const)(
      "is refused if that transaction changed a row (%s), and accepted if it was rolled back",
      async (step) => {
        const before = await rowOf(1);
        const steps = () => [step === "put" ? table.put(before, { n: 2 }) : table[step](before)];
        expect(await meanwhile(() => write("a", 3), "COMMIT", steps)).toBe(false);
        expect(await table.get("a")).toEqual({ n: 3 });
        await table.set("a", { n: 1 });
        expect(await meanwhile(() => write("a", 3), "ROLLBACK", steps)).toBe(true);
        expect(await table.get("a")).toEqual({ put: { n: 2 }, remove: undefined, expect: { n: 1 } }[step]);
      },
    );

    it("replaces a row that was changed and changed back, although its snapshot is older", async () => {
      const before = await rowOf(1);
      await table.set("a", { n: 2 });
      const replaced = meanwhile(
        () => write("a", 1),
        "COMMIT",
        () => [table.put(before, { n: 3 })],
      );
      expect(await replaced).toBe(true);
      expect(await table.get("a")).toEqual({ n: 3 });
    });

    it("is refused if that transaction removed the row, and treats the row as absent", async () => {
      const before = await rowOf(1);
      const remove = () => other.query("DELETE FROM shopbell WHERE key = 'a'");
      expect(await meanwhile(remove, "COMMIT", () => [table.put(before, { n: 2 })])).toBe(false);
      await table.set("a", { n: 1 });
      expect(await meanwhile(remove, "COMMIT", () => [table.put(absent("a"), { n: 4 })])).toBe(true);
      expect(await table.get("a")).toEqual({ n: 4 });
    });

    it.each(["put", "expect"] as const)(
      "is refused if that transaction inserted a row that must be absent (%s)",
      async (step) => {
        const steps = () => [step === "put" ? table.put(absent("a"), { n: 2 }) : table.expect(absent("a"))];
        expect(await meanwhile(() => write("a", 3), "COMMIT", steps)).toBe(false);
        expect(await table.get("a")).toEqual({ n: 3 });
        await table.clear();
        expect(await meanwhile(() => write("a", 3), "ROLLBACK", steps)).toBe(true);
        expect(await table.get("a")).toEqual(step === "put" ? { n: 2 } : undefined);
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
      expect(await table.getMany(["a", "b"])).toEqual([{ n: 2 }, { n: 2 }]);
    });
  });
});
