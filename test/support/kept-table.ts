import {
  absent,
  type Row,
  type Step,
  type Storage,
  StorageError,
  type Table,
  type TableShape,
} from "../../src/storage/table.ts";

/** A table in memory whose entries several processes share. Entries are JSON, as in a database. */
export interface KeptTable<T> {
  readonly table: Table<T>;
  readonly commit: Storage["commit"];
  /** Duration of each operation in ms; half of it passes before the operation takes effect. */
  slowMs: number;
  isFailing: boolean;
  /** Operations take effect, and then throw. */
  isLate: boolean;
  /** Operations that reached the entries. */
  readonly operations: string[];
}

/** @param entries by key; they outlive the processes */
export function keptTable<T>(shape: TableShape<T>, entries: Map<string, string>): KeptTable<T> {
  const operations: string[] = [];
  const half = () => new Promise<void>((resolve) => setTimeout(resolve, kept.slowMs / 2));
  async function reach<Result>(operation: string, work: () => Result): Promise<Result> {
    if (kept.slowMs > 0) await half();
    if (kept.isFailing) throw new StorageError(operation, new Error("it is down"));
    operations.push(operation);
    const result = work();
    if (kept.isLate) throw new StorageError(operation, new Error("no answer"));
    if (kept.slowMs > 0) await half();
    return result;
  }
  const read = (key: string): T | undefined => {
    const text = entries.get(key);
    return text === undefined ? undefined : shape.schema.parse(JSON.parse(text));
  };
  const rowOf = (key: string): Row<T> => {
    const version = entries.get(key);
    return version === undefined ? absent(key) : { key, value: read(key), version };
  };
  const step = ({ key, version }: Row<unknown>, write?: { raw: string | undefined }): Step => ({
    table: shape.name,
    key,
    version,
    write: write && { ...write, expires: undefined },
  });
  const write = (key: string, value: T) => void entries.set(key, JSON.stringify(value));
  const kept: KeptTable<T> = {
    slowMs: 0,
    isFailing: false,
    isLate: false,
    operations,
    table: {
      get: (key) => reach("get", () => read(key)),
      getMany: (keys) => reach("getMany", () => keys.map(read)),
      set: (key, value) => reach("set", () => write(key, value)),
      setMany: (many) =>
        reach("setMany", () => {
          for (const [key, value] of many) write(key, value);
        }),
      delete: (key) => reach("delete", () => void entries.delete(key)),
      deleteMany: (keys) =>
        reach("deleteMany", () => {
          for (const key of keys) entries.delete(key);
        }),
      async *entries() {
        for (const key of entries.keys()) {
          const value = await reach("entries", () => read(key));
          if (value !== undefined) yield [key, value] as const;
        }
      },
      clear: () => reach("clear", () => entries.clear()),
      read: (keys) => reach("read", () => keys.map(rowOf)),
      expect: (row) => step(row),
      put: (row, value) => step(row, { raw: JSON.stringify(value) }),
      remove: (row) => step(row, { raw: undefined }),
      written: ({ key, write }) =>
        write?.raw === undefined
          ? absent(key)
          : { key, value: shape.schema.parse(JSON.parse(write.raw)), version: write.raw },
    },
    commit: (steps) =>
      reach("commit", () => {
        if (steps.some(({ key, version }) => version !== "any" && entries.get(key) !== version)) return false;
        for (const { key, write } of steps) {
          if (write?.raw !== undefined) entries.set(key, write.raw);
          else if (write) entries.delete(key);
        }
        return true;
      }),
  };
  return kept;
}
