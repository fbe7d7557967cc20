import type { Table } from "../../src/storage/table.ts";

/** Thrown by every effect that a killed process still tries. */
class Killed extends Error {}

/** Kills a process. Each effect on storage or Discord calls `step` before and after. */
export interface Killer {
  step(): void;
  readonly killed: boolean;
  readonly steps: number;
}

/** Kills the process at the n-th step. */
export function killAt(step: number): Killer {
  let steps = 0;
  let killed = false;
  return {
    step() {
      if (killed || steps++ === step) {
        killed = true;
        throw new Killed();
      }
    },
    get killed() {
      return killed;
    },
    get steps() {
      return steps;
    },
  };
}

/** Kills the process when told to. */
export function createKiller(): Killer & { kill(): void } {
  let killed = false;
  return {
    step() {
      if (killed) throw new Killed();
    },
    kill() {
      killed = true;
    },
    get killed() {
      return killed;
    },
    steps: 0,
  };
}

/** The table as a process has it that this killer may kill. */
export function killableTable<T>(table: Table<T>, killer: Killer): Table<T> {
  const write =
    <A extends unknown[]>(effect: (...args: A) => Promise<void>) =>
    async (...args: A) => {
      killer.step();
      await effect(...args);
      killer.step();
    };
  return {
    get: (key) => table.get(key),
    getMany: (keys) => table.getMany(keys),
    entries: () => table.entries(),
    set: write((key, value, options) => table.set(key, value, options)),
    setMany: write((entries) => table.setMany(entries)),
    delete: write((key) => table.delete(key)),
    deleteMany: write((keys) => table.deleteMany(keys)),
    clear: write(() => table.clear()),
    read: (keys) => table.read(keys),
    expect: (row) => table.expect(row),
    put: (row, value, options) => table.put(row, value, options),
    remove: (row) => table.remove(row),
    written: (step) => table.written(step),
  };
}
