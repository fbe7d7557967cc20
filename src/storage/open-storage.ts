import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { Backend } from "./backend.ts";
import { commitInSlices, createKeyv, createKeyvTable, rowName, storageOperation } from "./keyv-table.ts";
import { maxCommitSteps, type Step, StorageError, type Table, type TableShape, type WholeStorage } from "./table.ts";

/** How often expired entries are removed. Sessions expire after a day, so less than 1 % of them expire within 10 minutes. */
const removeEveryMs = 10 * 60_000;

const tableName = /^[\w:.-]{1,200}$/;

/** Loads only the modules for this database, to save time and memory. `creates`: as in `openPostgresBackend`. */
export async function openBackend(url: string, log: Pick<Log, "warn">, creates = true): Promise<Backend> {
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
      return openPostgresBackend(url, log, creates);
    }
    default:
      throw new Error("the address must begin with sqlite://, redis:// or postgres://");
  }
}

function assertCommittable(steps: readonly Step[]): void {
  if (steps.length > maxCommitSteps) throw new Error(`more than ${maxCommitSteps} steps`);
  const rows = new Set(steps.map(rowName));
  if (rows.size < steps.length) throw new Error("two steps of one row");
}

export function storageOf(backend: Backend, metrics: Metrics = noMetrics): WholeStorage {
  const keyv = createKeyv(backend);
  let closing: Promise<void> | undefined;
  const strictly = <Result>(operation: string, run: () => Promise<Result>) => storageOperation(operation, run, metrics);

  return {
    table<T>(shape: TableShape<T>, part?: string): Table<T> {
      const name = part === undefined ? shape.name : `${shape.name}:${part}`;
      if (!tableName.test(name)) throw new StorageError("table", new Error("bad table name"));
      return createKeyvTable(name, shape, { backend, keyv, metrics });
    },
    commit: (steps) =>
      strictly("commit", async () => {
        assertCommittable(steps);
        return steps.length === 0 || backend.commit(steps);
      }),
    async *rawEntries() {
      try {
        yield* backend.entries();
      } catch (cause) {
        throw new StorageError("rawEntries", cause);
      }
    },
    writeRaw: (entries) =>
      strictly("writeRaw", async () => {
        const steps = entries.map(({ table, key, raw, expires }) => ({
          table,
          key,
          version: "any",
          write: { raw, expires },
        }));
        // A commit may have only one step per row.
        await commitInSlices(backend, [...new Map(steps.map((step) => [rowName(step), step])).values()]);
      }),
    moveToHashes: () => strictly("moveToHashes", async () => backend.moveToHashes?.()),
    close() {
      closing ??= strictly("close", () => backend.close());
      return closing;
    },
  };
}

/**
 * Opens `sqlite://data/x.sqlite` (relative to the working directory), `sqlite:///abs/x.sqlite`, `redis://…` or `postgres://…`.
 * Throws a {@link StorageError} for an address of another form, or if the database cannot be reached. While the database does
 * not answer, each operation fails within seconds. Keys have 1 to 255 characters. Values are JSON.
 */
export async function openStorage(
  url: string,
  log: Pick<Log, "warn">,
  metrics: Metrics = noMetrics,
): Promise<WholeStorage> {
  const backend = await storageOperation("open", () => openBackend(url, log), metrics);
  const problem = await storageOperation("open", async () => backend.problem?.(), metrics);
  if (problem !== undefined) log.warn({}, problem);
  const removeExpired = () =>
    backend.removeExpired().catch((error: unknown) => log.warn({ err: error }, "could not remove expired entries"));
  const timer = setInterval(removeExpired, removeEveryMs).unref();
  const close = () => {
    clearInterval(timer);
    return backend.close();
  };
  return storageOf({ ...backend, close }, metrics);
}
