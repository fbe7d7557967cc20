import { hash } from "node:crypto";
import type { SQLOutputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import type { Backend } from "./backend.ts";
import { createSqliteConnection, type SqliteConnection } from "./sqlite-connection.ts";
import type { Run } from "./sqlite-file.ts";
import type { RawEntry, Step } from "./table.ts";

/** After this many rows were read or removed, other work of the process runs. They take at most some 4 ms. */
const sliceSize = 100;
/**
 * Removing rows also pauses after this many bytes of values. SQLite overwrites removed values, which takes 5 to 12 ms per MiB.
 * A larger value is removed alone.
 */
const sliceBytes = 256 * 1024;

// @keyv/sqlite created this table for version 0.1.0. Without the last index, SQLite would scan the entries of all tables to
// read or clear one table.
const schema = [
  `CREATE TABLE IF NOT EXISTS shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT '',
    expires BIGINT DEFAULT NULL, UNIQUE(key, namespace))`,
  "CREATE INDEX IF NOT EXISTS shopbell_expires_idx ON shopbell (expires) WHERE expires IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS shopbell_namespace_idx ON shopbell (namespace, key)",
];
const findSchema = "SELECT 1 FROM sqlite_master WHERE name = 'shopbell_namespace_idx'";
/** Reads rows in the order of the keys in a JSON array. This is four times as fast as one statement for each key. */
const getRows = `SELECT value FROM (SELECT key AS place, value AS wanted FROM json_each(?)) LEFT JOIN shopbell
  ON shopbell.key = wanted AND namespace = ? AND (expires IS NULL OR expires > ?) ORDER BY place`;
const getRow = "SELECT value FROM shopbell WHERE key = ? AND namespace = ? AND (expires IS NULL OR expires > ?)";
const put = `INSERT INTO shopbell (key, value, namespace, expires) VALUES (?, ?, ?, ?)
  ON CONFLICT (key, namespace) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const deleteRow = "DELETE FROM shopbell WHERE key = ? AND namespace = ?";
const readPage = `SELECT namespace, key, value FROM shopbell WHERE (namespace, key) > (?, ?) AND namespace <= ?
  AND (expires IS NULL OR expires > ?) ORDER BY namespace, key LIMIT ${sliceSize}`;
const afterAllTables = "~";
const entryOf = ({ namespace, key, value }: Record<string, SQLOutputValue>): RawEntry => ({
  table: String(namespace),
  key: String(key),
  raw: String(value),
});
// SQLite knows the bytes of a value without reading the value. To count characters, it would have to read the value.
const slice = (condition: string) =>
  `SELECT rowid, octet_length(value) AS bytes FROM shopbell WHERE ${condition} LIMIT ${sliceSize}`;
const ofTable = slice("namespace = ?");
const expiredRows = slice("expires <= ?");
const deleteByRowid = "DELETE FROM shopbell WHERE rowid = ?";

/** Returns whether there may be more rows. */
function deleteSlice(run: Run, select: string, parameter: string | number): boolean {
  const rows = run(select, parameter);
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += Number(row.bytes);
    if (index > 0 && bytes > sliceBytes) return true;
    run(deleteByRowid, Number(row.rowid));
  }
  return rows.length === sliceSize;
}

async function inSlices(sliceOf: () => Promise<boolean>): Promise<void> {
  while (await sliceOf()) await setImmediate();
}

const versionDigest = "sha256";

/** The column `namespace` has the name of the storage's table. */
export function sqliteTables(connection: SqliteConnection): Omit<Backend, "close"> {
  return {
    digest: versionDigest,
    async read(table, keys) {
      const found: (string | undefined)[] = [];
      for (let at = 0; at < keys.length; at += sliceSize) {
        if (at > 0) await setImmediate();
        const slice = keys.slice(at, at + sliceSize);
        // SQLite stores a lone surrogate as U+FFFD.
        const wanted = JSON.stringify(slice.map((key) => key.toWellFormed()));
        const rows = await connection.read((run) => run(getRows, wanted, table, Date.now()));
        found.push(...rows.map(({ value }) => (value === null ? undefined : String(value))));
      }
      return found;
    },
    async *entries(table) {
      for (let last: Pick<RawEntry, "table" | "key"> = { table: table ?? "", key: "" }; ; await setImmediate()) {
        const parameters = [last.table, last.key, table ?? afterAllTables, Date.now()];
        const page = await connection.read((run) => run(readPage, ...parameters).map(entryOf));
        yield page;
        const end = page.at(-1);
        if (end === undefined || page.length < sliceSize) return;
        last = end;
      }
    },
    commit: (steps) =>
      connection.write((run) => {
        const now = Date.now();
        const isAsRead = ({ table, key, version }: Step) => {
          if (version === "any") return true;
          const row = run(getRow, key, table, now)[0];
          return version === (row && hash(versionDigest, String(row.value)));
        };
        if (!steps.every(isAsRead)) return false;
        for (const { table, key, write } of steps) {
          if (write?.raw !== undefined) run(put, key, write.raw, table, write.expires ?? null);
          else if (write) run(deleteRow, key, table);
        }
        return true;
      }),
    clear: (table) => inSlices(() => connection.write((run) => deleteSlice(run, ofTable, table))),
    removeExpired: () => inSlices(() => connection.write((run) => deleteSlice(run, expiredRows, Date.now()))),
  };
}

export async function openSqliteBackend(path: string, log: Pick<Log, "warn">): Promise<Backend> {
  const connection = createSqliteConnection(path, log);
  try {
    // While another process writes, the schema can be read, but not created.
    const found = await connection.read((run) => run(findSchema));
    if (found.length === 0) await connection.write((run) => schema.forEach((statement) => void run(statement)));
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { ...sqliteTables(connection), close: connection.close };
}
