import { KeyvSqlite } from "@keyv/sqlite";
import type { KeyvStorageEntry } from "keyv";
import type { Backend, StorageLog } from "./backend.ts";
import { createSqliteConnection, type Query } from "./sqlite-connection.ts";
import { strictView } from "./strict-view.ts";

const HOUR_MS = 3_600_000;

/** Tables in one SQLite file. `path` is a file's path, from the working directory where relative, or `:memory:`. */
export async function openSqliteBackend(path: string, log: StorageLog): Promise<Backend> {
  const connection = createSqliteConnection(path);
  const adapter = new KeyvSqlite({
    driver: { name: "custom", connect: async () => connection },
    table: "shopbell",
    iterationLimit: 1_000,
    clearExpiredInterval: HOUR_MS,
  });
  adapter.on("error", (error: unknown) => log.warn({ err: error }, "sqlite reported an error"));
  try {
    await adapter.ready;
  } catch (error) {
    adapter.clearExpiredInterval = 0;
    await connection.close();
    throw error;
  }

  return {
    tableStore(name) {
      const view = strictView(adapter, name);
      // The adapter writes and deletes in batches, each a statement of its own: together they are one transaction.
      const inTransaction = <Result>(work: (store: KeyvSqlite) => Promise<Result>): Promise<Result> =>
        connection.transaction((query: Query) => {
          const store = strictView(adapter, name);
          store.query = query;
          return work(store);
        });
      view.setMany = (entries: KeyvStorageEntry<unknown>[]) => inTransaction((store) => store.setMany(entries));
      view.deleteMany = (keys: string[]) => inTransaction((store) => store.deleteMany(keys));
      return { store: view, keyPrefix: `${name}:` };
    },
    close: () => adapter.disconnect(),
  };
}
