import pg from "pg";
import type { Log } from "../basics/log.ts";
import { codeOf } from "../basics/reason.ts";
import { actionOf, type Backend, storageTimeoutMs } from "./backend.ts";
import type { RawEntry, Step } from "./table.ts";

const pageSize = 1_000;
/** An attempt that ends in a deadlock takes 1 s (`deadlock_timeout`). */
const maxAttempts = 5;
// serialization_failure, deadlock_detected, unique_violation (https://www.postgresql.org/docs/current/errcodes-appendix.html):
// another statement was faster, and the failed one changed nothing.
const conflictCodes = new Set<unknown>(["40001", "40P01", "23505"]);
const isConflict = (error: unknown) => conflictCodes.has(codeOf(error));

// @keyv/postgres created this table and the first two indexes for version 0.1.0. Without the last index, PostgreSQL scans the
// entries of all tables to read or clear one table. With ten million entries, this takes too long. The last index is not
// created CONCURRENTLY: if two processes start together, one could fail and leave an invalid index. If the index takes long to
// build, the bot stops waiting (`query_timeout`), but PostgreSQL continues to build it.
const schema = [
  `CREATE TABLE IF NOT EXISTS public.shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) DEFAULT NULL,
    expires BIGINT DEFAULT NULL)`,
  "CREATE UNIQUE INDEX IF NOT EXISTS shopbell_key_namespace_idx ON public.shopbell (key, COALESCE(namespace, ''))",
  "CREATE INDEX IF NOT EXISTS shopbell_expires_idx ON public.shopbell (expires) WHERE expires IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS shopbell_namespace_idx ON public.shopbell (namespace, key)",
];
const findSchema = `SELECT to_regclass('public.shopbell_key_namespace_idx') IS NOT NULL
  AND to_regclass('public.shopbell_expires_idx') IS NOT NULL
  AND to_regclass('public.shopbell_namespace_idx') IS NOT NULL AS complete,
  to_regclass('public.shopbell') IS NOT NULL OR has_schema_privilege('public', 'CREATE') AS possible`;
const isReadable = "SELECT 1 FROM public.shopbell LIMIT 1";
const readRights = `SELECT current_setting('transaction_read_only') = 'on' AS closed,
  current_setting('server_encoding') AS encoding,
  has_table_privilege('public.shopbell', 'INSERT') AND has_table_privilege('public.shopbell', 'UPDATE')
    AND has_table_privilege('public.shopbell', 'DELETE') AS right`;

const readRows = `SELECT key, value FROM public.shopbell
  WHERE key = ANY($1) AND COALESCE(namespace, '') = $2 AND (expires IS NULL OR expires > $3)`;
const deleteTable = "DELETE FROM public.shopbell WHERE namespace = $1";
const deleteExpired = "DELETE FROM public.shopbell WHERE expires IS NOT NULL AND expires < $1";
const readPage = `SELECT namespace AS table, key, value AS raw FROM public.shopbell
  WHERE (namespace, key) > ($1, $2) AND namespace = COALESCE($3, namespace) AND (expires IS NULL OR expires > $4)
  ORDER BY namespace, key LIMIT ${pageSize}`;

// The statement locks each row before it compares the row's version. If PostgreSQL has to wait for the lock, the statement then
// sees the newest row. Without a lock, it would see the row as it was when the statement began. An absent row cannot be locked.
// So a step that expects no row inserts a row. If the step puts no value, the inserted row has already expired. If two commits
// insert the same row, the unique index refuses the second (23505), and the second commit is tried again.
const lockRow =
  "SELECT t.key, t.value, t.expires FROM public.shopbell t WHERE t.key = s.key AND COALESCE(t.namespace, '') = s.namespace";
const commitSteps = `WITH held AS MATERIALIZED (
  SELECT s.*, COALESCE(u.key, e.key) IS NOT NULL AS there,
    s.version IS NOT DISTINCT FROM 'any' OR CASE WHEN COALESCE(u.expires, e.expires) <= $7 THEN NULL
      ELSE encode(sha256(convert_to(COALESCE(u.value, e.value), 'UTF8')), 'hex') END IS NOT DISTINCT FROM s.version AS holds
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    AS s(namespace, key, version, action, value, expires)
  LEFT JOIN LATERAL (${lockRow} AND s.action <> 'expect' FOR UPDATE) u ON true
  LEFT JOIN LATERAL (${lockRow} AND s.action = 'expect' FOR SHARE) e ON true
), verdict AS MATERIALIZED (
  SELECT bool_and(holds) AS committed FROM held
), inserted AS (
  INSERT INTO public.shopbell (key, value, namespace, expires)
  SELECT key, COALESCE(value, ''), namespace, CASE action WHEN 'put' THEN expires ELSE 0 END
  FROM held, verdict WHERE committed AND NOT there AND (action = 'put' OR version IS NULL)
), updated AS (
  UPDATE public.shopbell t SET value = h.value, expires = h.expires FROM held h, verdict
  WHERE committed AND h.there AND h.action = 'put' AND t.key = h.key AND COALESCE(t.namespace, '') = h.namespace
), deleted AS (
  DELETE FROM public.shopbell t USING held h, verdict
  WHERE committed AND h.there AND h.action = 'remove' AND t.key = h.key AND COALESCE(t.namespace, '') = h.namespace
) SELECT committed FROM verdict`;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

type Query = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>;

async function commit(query: Query, steps: readonly Step[]): Promise<boolean> {
  // Rows are locked in the sequence of the parameters. The same sequence in all processes prevents deadlocks.
  const sorted = steps.toSorted((one, other) => compare(one.table, other.table) || compare(one.key, other.key));
  const [verdict] = await query<{ committed: boolean }>(commitSteps, [
    sorted.map(({ table }) => table),
    sorted.map(({ key }) => key),
    sorted.map(({ version }) => version ?? null),
    sorted.map(({ write }) => actionOf(write)),
    sorted.map(({ write }) => write?.raw ?? null),
    sorted.map(({ write }) => write?.expires ?? null),
    Date.now(),
  ]);
  return verdict?.committed === true;
}

async function prepare(query: Query, report: (error: unknown) => void, creates: boolean): Promise<void> {
  // The schema is looked up first, because CREATE INDEX IF NOT EXISTS waits for all writers even if the index exists.
  const [found] = await query<{ complete: boolean; possible: boolean }>(findSchema);
  if (!found?.possible) throw new Error("this user may not create the table public.shopbell");
  try {
    if (!found.complete && creates) for (const statement of schema) await query(statement);
  } catch (error) {
    report(error);
  }
  await query(isReadable);
}

/** @param creates whether a missing table is created; otherwise the error 42P01 is thrown */
export async function openPostgresBackend(url: string, log: Pick<Log, "warn">, creates: boolean): Promise<Backend> {
  const report = (error: unknown) => log.warn({ err: error }, "PostgreSQL reported an error");
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "shopbell",
    connectionTimeoutMillis: storageTimeoutMs,
    query_timeout: storageTimeoutMs,
    keepAlive: true,
  });
  // Without a listener, the loss of an idle connection would end the process.
  pool.on("error", report);
  const query: Query = async <Row extends object>(sql: string, values?: unknown[]) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await pool.query<Row>(sql, values)).rows;
      } catch (error) {
        if (attempt === maxAttempts || !isConflict(error)) throw error;
      }
    }
  };
  try {
    await prepare(query, report, creates);
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    digest: "sha256",
    async read(table, keys) {
      const rows = await query<{ key: string; value: string }>(readRows, [keys, table, Date.now()]);
      const found = new Map(rows.map(({ key, value }) => [key, value]));
      return keys.map((key) => found.get(key));
    },
    async *entries(table) {
      for (let last: Pick<RawEntry, "table" | "key"> = { table: table ?? "", key: "" }; ; ) {
        const page = await query<RawEntry>(readPage, [last.table, last.key, table, Date.now()]);
        yield page;
        const end = page.at(-1);
        if (end === undefined || page.length < pageSize) return;
        last = end;
      }
    },
    commit: (steps) => commit(query, steps),
    async clear(table) {
      await query(deleteTable, [table]);
    },
    async removeExpired() {
      await query(deleteExpired, [Date.now()]);
    },
    async problem() {
      const [found] = await query<{ closed: boolean; encoding: string; right: boolean }>(readRights);
      if (found?.closed) {
        return "this PostgreSQL takes no writes; if it is a standby, name its primary in STORAGE_URL; otherwise see whether its disk is full";
      }
      if (!found?.right) {
        return "this PostgreSQL user may not write the table public.shopbell; make that user its owner: ALTER TABLE public.shopbell OWNER TO …";
      }
      // With SQL_ASCII, PostgreSQL stores all bytes as they come.
      if (found.encoding === "UTF8" || found.encoding === "SQL_ASCII") return undefined;
      return `this database has the encoding ${found.encoding}, so one order with another character stops the alerts of its server; move the data (npm run export, npm run import) to a database made with ENCODING 'UTF8'`;
    },
    close: () => pool.end(),
  };
}
