import { vi } from "vitest";
import type { Log } from "../../src/basics/log.ts";
import { createLease, type Lease, type LeaseRecord, type LeaseStorage, leaseTable } from "../../src/polling/lease.ts";
import { StorageError, type Table } from "../../src/storage/table.ts";
import { type KeptTable, keptTable } from "./kept-table.ts";

export const second = 1_000;
export const hour = 3_600_000;

type Operation = "get" | "read" | "set" | "commit";

/** What outlives the processes: as JSON, as a database keeps it. */
type Kept = Map<string, string>;

/**
 * The storage of a lease, over what `keptNow` gives at that moment.
 * @param before awaited before each operation reaches the storage; throws to fail it
 */
export function storageOver(
  keptNow: () => Kept,
  before: (operation: Operation) => Promise<void> = async () => undefined,
): LeaseStorage {
  const reach = async <Result>(operation: Operation, work: (kept: KeptTable<LeaseRecord>) => Promise<Result>) => {
    await before(operation);
    return work(keptTable(leaseTable, keptNow()));
  };
  const { table } = keptTable(leaseTable, new Map());
  const own: Table<LeaseRecord> = {
    ...table,
    get: (key) => reach("get", (kept) => kept.table.get(key)),
    read: (keys) => reach("read", (kept) => kept.table.read(keys)),
    set: (key, value) => reach("set", (kept) => kept.table.set(key, value)),
  };
  return {
    table: <T>() => own as unknown as Table<T>,
    commit: (steps) => reach("commit", (kept) => kept.commit(steps)),
  };
}

/** A process that wants to poll. */
export interface LeaseProcess {
  readonly lease: Lease;
  /** Numbers of the terms that began. */
  readonly terms: (number | undefined)[];
  readonly lines: string[];
  changes: number;
  writes: number;
  /** How far the wall clock and the monotonic clock are off. */
  readonly clocks: { wall: number; monotonic: number };
  /** Awaited before each operation reaches the storage; throws to fail it. */
  before: (operation: Operation) => Promise<void>;
  /** While there is one, each commit is answered with an error, and is tried all the same when this resolves. */
  late: Promise<void> | undefined;
  /** Awaited before each term; throws where none may begin. */
  beforeTerm: () => Promise<void>;
}

interface Self {
  readonly host: string;
  readonly pid: number;
  readonly pids?: string;
}

/** Processes that share one storage. */
export interface LeaseWorld {
  readonly storage: Kept;
  readonly processes: LeaseProcess[];
  /** A process that has not asked for the lease yet, on a machine of its own unless it is told otherwise. */
  start(self?: Self): LeaseProcess;
  /** Starts and begins; resolves when a free lease would be held. */
  begin(self?: Self): Promise<LeaseProcess>;
  /** Those that may poll now. */
  holders(): LeaseProcess[];
  /** Ends all processes, releases nothing. */
  end(): Promise<void>;
}

/** An empty storage without processes; wants vitest's fake timers. */
export function createLeaseWorld(): LeaseWorld {
  const storage: Kept = new Map();
  const processes: LeaseProcess[] = [];

  function start(self: Self = { host: `host-${processes.length}`, pid: 7 }): LeaseProcess {
    const own: Omit<LeaseProcess, "lease"> = {
      terms: [],
      lines: [],
      changes: 0,
      writes: 0,
      clocks: { wall: 0, monotonic: 0 },
      before: async () => undefined,
      late: undefined,
      beforeTerm: async () => undefined,
    };
    const write = (_: object, message: string) => void own.lines.push(message);
    const log: Log = { debug: write, info: write, warn: write, error: write };
    const near = storageOver(
      () => storage,
      async (operation) => {
        await own.before(operation);
        if (operation === "commit") own.writes++;
      },
    );
    const lease: Lease = createLease({
      storage: {
        table: near.table,
        async commit(steps) {
          if (own.late === undefined) return near.commit(steps);
          void own.late.then(() => keptTable(leaseTable, storage).commit(steps));
          throw new StorageError("commit", new Error("no answer in time"));
        },
      },
      log,
      beforeTerm: () => own.beforeTerm(),
      onTerm: () => void own.terms.push(lease.term()),
      onChanged: () => void own.changes++,
      now: () => Date.now() + own.clocks.wall,
      monotonic: () => performance.now() + own.clocks.monotonic,
      self,
    });
    const process: LeaseProcess = Object.assign(own, { lease });
    processes.push(process);
    return process;
  }

  return {
    storage,
    processes,
    start,
    async begin(self) {
      const process = start(self);
      void process.lease.begin();
      await pass(200);
      return process;
    },
    holders: () => processes.filter(({ lease }) => lease.term() !== undefined),
    async end() {
      for (const { lease } of processes) await Promise.race([lease.end({ release: false }), pass(10 * second)]);
    },
  };
}

/** Lets so many milliseconds pass. */
export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Every operation of the process, or those named, waits until the returned function is called. */
export function hold(process: LeaseProcess, ...operations: Operation[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.before = (operation) =>
    operations.length === 0 || operations.includes(operation) ? promise : Promise.resolve();
  return () => {
    process.before = async () => undefined;
    resolve();
  };
}

/** From now on the storage fails for the process. */
export function fail(process: LeaseProcess): void {
  process.before = () => Promise.reject(new StorageError("test", new Error("down")));
}

/** Passes time until the process holds the lease, for a minute at most; gives the seconds that took. */
export async function secondsUntilHeld({ lease }: LeaseProcess): Promise<number> {
  for (let tenths = 0; tenths <= 600; tenths++) {
    if (lease.term() !== undefined) return tenths / 10;
    await pass(100);
  }
  throw new Error("not held within a minute");
}
