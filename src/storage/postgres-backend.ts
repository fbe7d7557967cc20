import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import { KeyvPostgres } from "@keyv/postgres";
import { z } from "zod";
import type { Log } from "../basics/log.ts";
import { type Backend, patienceMs } from "./backend.ts";
import { strictView } from "./strict-view.ts";

const hourMs = 3_600_000;
const rightsSchema = z.tuple([z.object({ standby: z.boolean(), right: z.boolean() })]);
const readRights = `SELECT pg_is_in_recovery() AS standby,
  has_table_privilege('public.shopbell', 'INSERT') AND has_table_privilege('public.shopbell', 'UPDATE')
    AND has_table_privilege('public.shopbell', 'DELETE') AS right`;
const pageSize = 1_000;
// In the order of the adapter's unique index.
const anyPage = `SELECT COALESCE(namespace, '') AS table, key, value AS raw FROM public.shopbell
  WHERE (key, COALESCE(namespace, '')) > ($1, $2) AND (expires IS NULL OR expires > $3)
  ORDER BY key, COALESCE(namespace, '') LIMIT ${pageSize}`;
// The adapter's own index begins with the key: to read or clear one table by it is to go through all of them, and with some ten
// million entries takes longer than anybody waits.
const createIndex = "CREATE INDEX IF NOT EXISTS shopbell_namespace_idx ON public.shopbell (namespace, key)";
const findIndex = "SELECT to_regclass('public.shopbell_namespace_idx') IS NOT NULL AS there";
const thereSchema = z.tuple([z.object({ there: z.boolean() })]);
const rowsSchema = z.array(z.object({ table: z.string(), key: z.string(), raw: z.string() }));

/** Tables in one PostgreSQL database (`postgres://` or `postgresql://`), all in its table `public.shopbell`. */
export async function openPostgresBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const report = (error: unknown) => log.warn({ err: error }, "postgres reported an error");
  const adapter = new KeyvPostgres({
    uri: url,
    table: "shopbell",
    iterationLimit: pageSize,
    clearExpiredInterval: hourMs,
    // The adapter shares a pool between equal options, and closing one user of it would close all.
    application_name: `shopbell ${randomUUID().slice(0, 8)}`,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
    // A connection that is lost while idle is an "error" event of the pool, which ends a process that does not listen.
    // The adapter neither listens nor shows its pool, but the pool shows itself here before it first connects.
    log(this: EventEmitter) {
      if (this.listenerCount("error") === 0) this.on("error", report);
    },
  });
  adapter.on("error", report);
  try {
    // The adapter only reports that it could not create its table; reading it rejects.
    await adapter.has("open");
  } catch (error) {
    await adapter.disconnect();
    throw error;
  }

  // biome-ignore lint/complexity/useLiteralKeys: the adapter keeps its way to ask anything else than for entries to itself
  const query = (sql: string, values?: unknown[]): Promise<unknown> => adapter["query"](sql, values);

  // Not CONCURRENTLY: processes that start together would each find the other's index half made, and stop both. It is made as
  // a whole or not at all; of a large table that takes longer than anybody waits, and PostgreSQL goes on with it.
  async function makeIndex() {
    // Asked for first: to make one that is there waits for all who write, too.
    const [index] = thereSchema.parse(await query(findIndex));
    if (!index.there) await query(createIndex);
  }
  await makeIndex().catch(report);

  return {
    tableStore: (name) => ({ store: strictView(adapter, name), keyPrefix: `${name}:` }),
    async *everything() {
      for (let table = "", key = ""; ; ) {
        const rows = rowsSchema.parse(await query(anyPage, [key, table, Date.now()]));
        if (rows.length > 0) yield rows;
        if (rows.length < pageSize) return;
        ({ table = "", key = "" } = rows.at(-1) ?? {});
      }
    },
    async obstacle() {
      const [{ standby, right }] = rightsSchema.parse(await query(readRights));
      if (standby) return "this PostgreSQL is a standby, which takes no writes";
      return right ? undefined : "this PostgreSQL user may not write the table public.shopbell";
    },
    close: () => adapter.disconnect(),
  };
}
