import type { Log } from "../basics/log.ts";
import type { Backend } from "./backend.ts";
import { createKeyvTable } from "./keyv-table.ts";
import { type Storage, StorageError, type Table, type TableShape } from "./table.ts";

const TABLE_NAME = /^[\w:.-]{1,200}$/;

/** Loads the kind that is in use and no other: the adapters of all three cost every start time and memory. */
async function openBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const scheme = url.slice(0, url.indexOf("://"));
  switch (scheme) {
    case "sqlite": {
      const { openSqliteBackend } = await import("./sqlite-backend.ts");
      return openSqliteBackend(url.slice("sqlite://".length), log);
    }
    case "redis":
    case "rediss": {
      const { openRedisBackend } = await import("./redis-backend.ts");
      return openRedisBackend(url, log);
    }
    case "postgres":
    case "postgresql": {
      const { openPostgresBackend } = await import("./postgres-backend.ts");
      return openPostgresBackend(url, log);
    }
    default:
      throw new Error("the address must begin with sqlite://, redis:// or postgres://");
  }
}

/**
 * Opens what `url` names: `sqlite://data/x.sqlite` (from the working directory), `sqlite:///abs/x.sqlite`,
 * `redis://…` or `postgres://…`. Throws a {@link StorageError} when it cannot be reached or the address is none of
 * these. All tables share one connection or pool. A failed operation rejects within seconds, and the storage works
 * again by itself when the store does. Keys are 1 to 255 characters, table names letters, digits and `_ : . -`;
 * values are JSON.
 */
export async function openStorage(url: string, log: Pick<Log, "warn">): Promise<Storage> {
  let backend: Backend;
  try {
    backend = await openBackend(url, log);
  } catch (cause) {
    throw new StorageError("open", cause);
  }
  /** Kept, for a table is asked for each time that it is used, and there are thousands. */
  const tables = new Map<string, { readonly shape: unknown; readonly table: unknown }>();
  let closing: Promise<void> | undefined;

  return {
    table<T>(shape: TableShape<T>, part?: string): Table<T> {
      const name = part === undefined ? shape.name : `${shape.name}:${part}`;
      if (!TABLE_NAME.test(name)) throw new StorageError("table", new Error("bad table name"));
      const known = tables.get(name);
      if (known?.shape === shape) return known.table as Table<T>;
      const table = createKeyvTable(name, shape, backend.tableStore(name, shape));
      tables.set(name, { shape, table });
      return table;
    },
    close() {
      closing ??= backend.close().catch((cause: unknown) => {
        throw new StorageError("close", cause);
      });
      return closing;
    },
  };
}
