import { afterAll, beforeAll, describe, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createPostgresServer, type DatabaseServer, postgresInstalled, runSql } from "../support/database-server.ts";

const log = { warn: () => undefined };
/** Fails where PostgreSQL, could it choose, would go through all tables to read or clear one. */
const assertByIndex = `DO $$ DECLARE line text; plan text := ''; BEGIN
  SET LOCAL enable_seqscan = off;
  FOR line IN EXPLAIN DELETE FROM public.shopbell WHERE namespace = 'guilds' LOOP plan := plan || line; END LOOP;
  FOR line IN EXPLAIN SELECT * FROM public.shopbell WHERE namespace = 'guilds' AND key > '' ORDER BY key LIMIT 9 LOOP
    plan := plan || line; END LOOP;
  IF plan NOT LIKE '%shopbell_namespace_idx%shopbell_namespace_idx%' THEN RAISE EXCEPTION '%', plan; END IF; END $$`;

describe.skipIf(!postgresInstalled)("one table of many in PostgreSQL", () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await createPostgresServer();
    await server.start();
  }, 60_000);
  afterAll(() => server.remove());

  it("is read and cleared without the others", async () => {
    await (await openStorage(server.url, log)).close();
    await runSql(server.url, assertByIndex);
  });

  it("is so too where an earlier version made them", async () => {
    await runSql(server.url, "DROP INDEX IF EXISTS shopbell_namespace_idx");
    await (await openStorage(server.url, log)).close();
    await runSql(server.url, assertByIndex);
  });

  it("is so too where processes that start together find none", async () => {
    await runSql(server.url, "DROP INDEX IF EXISTS shopbell_namespace_idx");
    const storages = await Promise.all(Array.from({ length: 4 }, () => openStorage(server.url, log)));
    await Promise.all(storages.map((storage) => storage.close()));
    await runSql(server.url, assertByIndex);
  });
});
