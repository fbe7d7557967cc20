import pg from "pg";
import type { Log } from "../basics/log.ts";
import { type Backend, type NewEntry, patienceMs, TableStore } from "./backend.ts";

const hourMs = 3_600_000;
const pageSize = 1_000;

// The table, its columns and its first two indexes as @keyv/postgres 6.0.0-beta.4 makes them, on which version 0.1.0 was built. The last
// index is new: without it, to read or clear one table is to go through all of them, and with some ten million entries takes
// longer than anybody waits. Not CONCURRENTLY: processes that start together would each find the other's index half made, and
// stop both. An index is made as a whole or not at all; of a large table that takes longer than anybody waits, and PostgreSQL
// goes on with it.
const schema = [
  `CREATE TABLE IF NOT EXISTS public.shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) DEFAULT NULL,
    expires BIGINT DEFAULT NULL)`,
  "CREATE UNIQUE INDEX IF NOT EXISTS shopbell_key_namespace_idx ON public.shopbell (key, COALESCE(namespace, ''))",
  "CREATE INDEX IF NOT EXISTS shopbell_expires_idx ON public.shopbell (expires) WHERE expires IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS shopbell_namespace_idx ON public.shopbell (namespace, key)",
];
const findSchema = `SELECT to_regclass('public.shopbell_key_namespace_idx') IS NOT NULL
  AND to_regclass('public.shopbell_expires_idx') IS NOT NULL
  AND to_regclass('public.shopbell_namespace_idx') IS NOT NULL AS complete`;
const isReadable = "SELECT 1 FROM public.shopbell LIMIT 1";
const readRights = `SELECT pg_is_in_recovery() AS standby,
  has_table_privilege('public.shopbell', 'INSERT') AND has_table_privilege('public.shopbell', 'UPDATE')
    AND has_table_privilege('public.shopbell', 'DELETE') AS right`;

const readRows = `SELECT key, value FROM public.shopbell
  WHERE key = ANY($1) AND COALESCE(namespace, '') = $2 AND (expires IS NULL OR expires > $3)`;
const putRows = `INSERT INTO public.shopbell (key, value, namespace, expires)
  SELECT k, v, $4, e FROM unnest($1::text[], $2::text[], $3::bigint[]) AS t(k, v, e)
  ON CONFLICT (key, COALESCE(namespace, '')) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const deleteRows = "DELETE FROM public.shopbell WHERE key = ANY($1) AND COALESCE(namespace, '') = $2";
const deleteTable = "DELETE FROM public.shopbell WHERE namespace = $1";
const deleteExpired = "DELETE FROM public.shopbell WHERE expires IS NOT NULL AND expires < $1";
const readPage = `SELECT key, value FROM public.shopbell
  WHERE namespace = $1 AND key > $2 AND (expires IS NULL OR expires > $3) ORDER BY key LIMIT ${pageSize}`;
// In the order of the unique index.
const anyPage = `SELECT COALESCE(namespace, '') AS table, key, value AS raw FROM public.shopbell
  WHERE (key, COALESCE(namespace, '')) > ($1, $2) AND (expires IS NULL OR expires > $3)
  ORDER BY key, COALESCE(namespace, '') LIMIT ${pageSize}`;

interface StoredRow {
  readonly key: string;
  readonly value: string;
}

/** Runs one statement and gives its rows. */
type Query = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** One namespace of the table `shopbell`. */
class PostgresTable extends TableStore {
  private readonly query: Query;
  private readonly name: string;

  constructor(query: Query, name: string) {
    super();
    this.query = query;
    this.name = name;
  }

  async read(keys: readonly string[]) {
    const rows = await this.query<StoredRow>(readRows, [keys, this.name, Date.now()]);
    const found = new Map(rows.map(({ key, value }) => [key, value]));
    return keys.map((key) => found.get(key));
  }

  async write(entries: readonly NewEntry[]) {
    const keys = entries.map(({ key }) => key);
    const values = entries.map(({ raw }) => raw);
    const ends = entries.map(({ expires }) => expires ?? null);
    await this.query(putRows, [keys, values, ends, this.name]);
  }

  async remove(keys: readonly string[]) {
    await this.query(deleteRows, [keys, this.name]);
  }

  async clear() {
    await this.query(deleteTable, [this.name]);
  }

  async *pages() {
    for (let after = ""; ; ) {
      const rows = await this.query<StoredRow>(readPage, [this.name, after, Date.now()]);
      yield rows.map(({ key, value }) => [key, value] as const);
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.key ?? "";
    }
  }
}

/** Creates what lacks. What it cannot create is reported. Rejects where the table is not there then, or cannot be read. */
async function prepare(query: Query, report: (error: unknown) => void): Promise<void> {
  // Asked for first: to make an index that is there waits for all who write, too.
  const [found] = await query<{ complete: boolean }>(findSchema);
  try {
    if (!found?.complete) for (const statement of schema) await query(statement);
  } catch (error) {
    report(error);
  }
  await query(isReadable);
}

/** Tables in one PostgreSQL database (`postgres://` or `postgresql://`), all in its table `public.shopbell`. */
export async function openPostgresBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const report = (error: unknown) => log.warn({ err: error }, "postgres reported an error");
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "shopbell",
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
  });
  // A connection that is lost while idle is an event, which ends a process that does not listen.
  pool.on("error", report);
  const query: Query = async <Row extends object>(sql: string, values?: unknown[]) =>
    (await pool.query<Row>(sql, values)).rows;
  try {
    await prepare(query, report);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const timer = setInterval(() => void query(deleteExpired, [Date.now()]).catch(report), hourMs).unref();

  return {
    tableStore: (name) => new PostgresTable(query, name),
    async *everything() {
      for (let table = "", key = ""; ; ) {
        const rows = await query<{ table: string; key: string; raw: string }>(anyPage, [key, table, Date.now()]);
        if (rows.length > 0) yield rows;
        if (rows.length < pageSize) return;
        ({ table = "", key = "" } = rows.at(-1) ?? {});
      }
    },
    async obstacle() {
      const [found] = await query<{ standby: boolean; right: boolean }>(readRights);
      if (found?.standby) return "this PostgreSQL is a standby, which takes no writes";
      return found?.right ? undefined : "this PostgreSQL user may not write the table public.shopbell";
    },
    async close() {
      clearInterval(timer);
      await pool.end();
    },
  };
}
