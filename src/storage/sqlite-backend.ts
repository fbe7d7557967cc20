import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import type { Backend, TableStore } from "./backend.ts";
import { createSqliteConnection, type SqliteConnection } from "./sqlite-connection.ts";
import type { Run } from "./sqlite-file.ts";
import type { RawEntry, Step } from "./table.ts";

const hourMs = 3_600_000;
/** Number of rows read or removed without a pause. It blocks this process for at most some 4 ms. */
const sliceSize = 100;
/**
 * Number of bytes of values removed without a pause. A longer value is removed alone. SQLite overwrites removed values, which
 * takes 5 to 12 ms per MiB. Each slice is a transaction, so the write-ahead log stays at some MiB.
 */
const sliceBytes = 256 * 1024;

// The table and its rows are those that @keyv/sqlite created for version 0.1.0. Without the last index, reading or clearing one
// table would scan all of them.
const schema = [
  `CREATE TABLE IF NOT EXISTS shopbell(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT '',
    expires BIGINT DEFAULT NULL, UNIQUE(key, namespace))`,
  "CREATE INDEX IF NOT EXISTS shopbell_expires_idx ON shopbell (expires) WHERE expires IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS shopbell_namespace_idx ON shopbell (namespace, key)",
];
const findSchema = "SELECT 1 FROM sqlite_master WHERE name = 'shopbell_namespace_idx'";
const getRow = "SELECT value FROM shopbell WHERE key = ? AND namespace = ? AND (expires IS NULL OR expires > ?)";
const put = `INSERT INTO shopbell (key, value, namespace, expires) VALUES (?, ?, ?, ?)
  ON CONFLICT (key, namespace) DO UPDATE SET value = excluded.value, expires = excluded.expires`;
const deleteRow = "DELETE FROM shopbell WHERE key = ? AND namespace = ?";
const readPage = `SELECT key, value FROM shopbell WHERE namespace = ? AND key > ? AND (expires IS NULL OR expires > ?)
  ORDER BY key LIMIT ${sliceSize}`;
const anyPage = `SELECT namespace, key, value FROM shopbell WHERE (namespace, key) > (?, ?)
  AND (expires IS NULL OR expires > ?) ORDER BY namespace, key LIMIT ${sliceSize}`;
// SQLite knows a value's length in bytes without reading the value. For the length in characters it would have to read it.
const slice = (condition: string) =>
  `SELECT rowid, octet_length(value) AS bytes FROM shopbell WHERE ${condition} LIMIT ${sliceSize}`;
const ofTable = slice("namespace = ?");
const expiredRows = slice("expires <= ?");
const deleteByRowid = "DELETE FROM shopbell WHERE rowid = ?";

/** Deletes the first rows that `select` finds. Returns whether there may be more. */
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

/** Commits in one transaction, which blocks this process. */
function commit(connection: SqliteConnection, steps: readonly Step[]): Promise<boolean> {
  return connection.write((run) => {
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
  });
}

/** One table of the storage: the rows of one namespace in the database's table `shopbell`. */
export class SqliteTable implements TableStore {
  readonly digest = versionDigest;
  private readonly connection: SqliteConnection;
  private readonly name: string;

  constructor(connection: SqliteConnection, name: string) {
    this.connection = connection;
    this.name = name;
  }

  async read(keys: readonly string[]) {
    const found: (string | undefined)[] = [];
    for (let at = 0; at < keys.length; at += sliceSize) {
      if (at > 0) await setImmediate();
      const slice = keys.slice(at, at + sliceSize);
      const now = Date.now();
      const rows = await this.connection.read((run) => slice.map((key) => run(getRow, key, this.name, now)[0]));
      found.push(...rows.map((row) => (row === undefined ? undefined : String(row.value))));
    }
    return found;
  }

  clear(): Promise<void> {
    return inSlices(() => this.connection.write((run) => deleteSlice(run, ofTable, this.name)));
  }

  async *pages() {
    for (let after = ""; ; await setImmediate()) {
      const from = after;
      const page = await this.connection.read((run) => run(readPage, this.name, from, Date.now()));
      yield page.map(({ key, value }) => [String(key), String(value)] as const);
      if (page.length < sliceSize) return;
      after = String(page.at(-1)?.key);
    }
  }
}

async function* everyRow(connection: SqliteConnection): AsyncGenerator<readonly RawEntry[]> {
  for (let table = "", key = ""; ; await setImmediate()) {
    const [fromTable, fromKey] = [table, key];
    const rows = await connection.read((run) => run(anyPage, fromTable, fromKey, Date.now()));
    if (rows.length > 0) {
      yield rows.map((row) => ({ table: String(row.namespace), key: String(row.key), raw: String(row.value) }));
    }
    if (rows.length < sliceSize) return;
    table = String(rows.at(-1)?.namespace);
    key = String(rows.at(-1)?.key);
  }
}

/** Opens the tables in one SQLite file. `path` is a file path (absolute, or relative to the working directory) or `:memory:`. */
export async function openSqliteBackend(path: string, log: Pick<Log, "warn">): Promise<Backend> {
  const connection = createSqliteConnection(path, log);
  try {
    // Check first, because reading works even while another process writes to the file.
    const found = await connection.read((run) => run(findSchema));
    if (found.length === 0) await connection.write((run) => schema.forEach((statement) => void run(statement)));
  } catch (error) {
    await connection.close();
    throw error;
  }
  const clearExpired = () =>
    inSlices(() => connection.write((run) => deleteSlice(run, expiredRows, Date.now()))).catch((error: unknown) =>
      log.warn({ err: error }, "what has expired could not be removed"),
    );
  const timer = setInterval(clearExpired, hourMs).unref();

  return {
    tableStore: (name) => new SqliteTable(connection, name),
    commit: (steps) => commit(connection, steps),
    rawEntries: () => everyRow(connection),
    close() {
      clearInterval(timer);
      return connection.close();
    },
  };
}
