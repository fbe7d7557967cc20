import type { Table, WholeStorage } from "../../src/storage/table.ts";

const writes = ["set", "setMany", "delete", "deleteMany", "clear"] as const;

/** Runs a migration again and again until it ends: first it is killed before its first write, then before its second one, and so on. */
export async function cutShortAnywhere(
  storage: WholeStorage,
  migrate: (storage: WholeStorage) => Promise<void>,
): Promise<void> {
  let left = 0;
  const dies =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (left-- === 0) throw new Error("killed");
      return write(...args);
    };
  const dying: WholeStorage = {
    ...storage,
    commit: dies(storage.commit),
    table<T>(shape: Parameters<typeof storage.table<T>>[0], part?: string): Table<T> {
      const table = storage.table(shape, part);
      return { ...table, ...Object.fromEntries(writes.map((name) => [name, dies<never[], void>(table[name])])) };
    },
  };
  let isDone = false;
  for (let written = 0; !isDone; written++) {
    left = written;
    isDone = await migrate(dying).then(
      () => true,
      () => false,
    );
  }
}
