import type { Storage, Table } from "../../src/storage/table.ts";

/** Changes operations of the tables with this name, or of all tables. */
export const withTable = (
  storage: Storage,
  change: (table: Table<unknown>) => Partial<Table<unknown>>,
  name?: string,
): Storage => ({
  ...storage,
  table(shape, part) {
    const table = storage.table(shape, part);
    if (name !== undefined && shape.name !== name) return table;
    return { ...table, ...(change(table as Table<unknown>) as Partial<typeof table>) };
  },
});
