import { noMetrics } from "../basics/metrics.ts";
import type { Backend, TableStore } from "./backend.ts";
import { createKeyvTable } from "./keyv-table.ts";
import { sqlitePath } from "./sqlite-path.ts";
import { type Storage, StorageError, type Table, type TableShape } from "./table.ts";

/** A storage as it stands. */
export interface StorageInspection {
  /** Gives what is kept; whatever would write to it throws. Undefined where nothing is there yet, or it is in memory. */
  readonly storage: Storage | undefined;
  /** What keeps the bot from writing to it, as far as that shows without writing; a sentence without a stop. */
  readonly problem: string | undefined;
  /** Bytes that are left for it, where it is a file. */
  readonly freeBytes: number | undefined;
}

type Readable = Pick<Backend, "tableStore" | "close">;

/** What a server has to say of itself is reported by whatever is asked of it next. */
const quiet = { warn: () => undefined };

const onlyLookedAt = () => new Error("this storage is only looked at");

/** As it is, but for its writes. */
function onlyReading(store: TableStore): TableStore {
  const refuse = { value: () => Promise.reject(onlyLookedAt()) };
  return Object.create(store, { write: refuse, remove: refuse, clear: refuse });
}

function reading(backend: Readable): Storage {
  return {
    table<T>(shape: TableShape<T>, part?: string): Table<T> {
      const name = part === undefined ? shape.name : `${shape.name}:${part}`;
      return createKeyvTable(name, shape, onlyReading(backend.tableStore(name, shape)), noMetrics);
    },
    commit: () => Promise.reject(new StorageError("commit", onlyLookedAt())),
    close: () => backend.close(),
  };
}

/** PostgreSQL refuses every change in such a session, also the making of the table with which the adapter begins. */
function withoutChanges(url: string): string {
  const address = new URL(url);
  const options = address.searchParams.get("options") ?? "";
  address.searchParams.set("options", `${options} -c default_transaction_read_only=on`.trim());
  return address.href;
}

const hasNoTable = (error: unknown) => error instanceof Error && "code" in error && error.code === "42P01";

async function look(url: string): Promise<Partial<StorageInspection> & { backend: Readable | undefined }> {
  if (url === "sqlite://:memory:") return { backend: undefined };
  const path = sqlitePath(url);
  if (path !== undefined) {
    const { inspectSqlite } = await import("./inspect-sqlite.ts");
    return inspectSqlite(path);
  }
  if (/^rediss?:/.test(url)) {
    const { openRedisBackend } = await import("./redis-backend.ts");
    const backend = await openRedisBackend(url, quiet);
    return { backend, problem: await backend.problem?.() };
  }
  try {
    const { openPostgresBackend } = await import("./postgres-backend.ts");
    const backend = await openPostgresBackend(withoutChanges(url), quiet);
    return { backend, problem: await backend.problem?.() };
  } catch (error) {
    // The first start makes it.
    if (hasNoTable(error)) return { backend: undefined };
    throw error;
  }
}

/**
 * Looks at what `url` names (as `openStorage` takes it) and changes nothing there, also while a bot works on it. Throws a
 * {@link StorageError} when it cannot be reached or read.
 */
export async function inspectStorage(url: string): Promise<StorageInspection> {
  try {
    const { backend, problem, freeBytes } = await look(url);
    return { storage: backend && reading(backend), problem, freeBytes };
  } catch (cause) {
    throw new StorageError("look", cause);
  }
}
