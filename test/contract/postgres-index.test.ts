import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createPostgresServer, type DatabaseServer, postgresInstalled, runSql } from "../support/database-server.ts";
import { stored } from "../support/stored.ts";

const log = { warn: () => undefined };
/** Fails if PostgreSQL, given the choice, would scan all tables to read or clear one. */
const assertByIndex = `DO $$ DECLARE line text; plan text := ''; BEGIN
  SET LOCAL enable_seqscan = off;
  FOR line IN EXPLAIN DELETE FROM public.shopbell WHERE namespace = 'guilds' LOOP plan := plan || line; END LOOP;
  FOR line IN EXPLAIN SELECT * FROM public.shopbell WHERE namespace = 'guilds' AND key > '' ORDER BY key LIMIT 9 LOOP
    plan := plan || line; END LOOP;
  IF plan NOT LIKE '%shopbell_namespace_idx%shopbell_namespace_idx%' THEN RAISE EXCEPTION '%', plan; END IF; END $$`;

/** The table as @keyv/postgres 6.0.0-beta.4 made it, with two entries. */
const madeBefore = `CREATE TABLE public.shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) DEFAULT NULL, expires BIGINT DEFAULT NULL);
  CREATE UNIQUE INDEX shopbell_key_namespace_idx ON public.shopbell (key, COALESCE(namespace, ''));
  CREATE INDEX shopbell_expires_idx ON public.shopbell (expires) WHERE expires IS NOT NULL;
  INSERT INTO public.shopbell VALUES ('a', '{"value":{"n":1},"v":1}', 'guilds', NULL),
    ('b', '{"value":{"n":2},"expires":1}', 'guilds', 1)`;

describe.skipIf(!postgresInstalled)("one table of many in PostgreSQL", () => {
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

  it("is read and cleared without scanning the others", async () => {
    await (await openStorage(server.url, log)).close();
    await runSql(server.url, assertByIndex);
  });

  it("also if an earlier version made the table", async () => {
    await runSql(server.url, "DROP INDEX IF EXISTS shopbell_namespace_idx");
    await (await openStorage(server.url, log)).close();
    await runSql(server.url, assertByIndex);
  });

  it("also if processes that start together find no table", async () => {
    await runSql(server.url, "DROP INDEX IF EXISTS shopbell_namespace_idx");
    const storages = await Promise.all(Array.from({ length: 4 }, () => openStorage(server.url, log)));
    await Promise.all(storages.map((storage) => storage.close()));
    await runSql(server.url, assertByIndex);
  });
});
