import { setImmediate } from "node:timers/promises";
import { Mutex } from "../basics/limits/mutex.ts";
import { sleep } from "../basics/limits/sleep.ts";
import type { Log } from "../basics/log.ts";
import { storageTimeoutMs } from "./backend.ts";
import { isBusy, openSqliteFile, type Run } from "./sqlite-file.ts";

/** Pieces of work run one after another. Short pieces share a turn of the event loop. */
export interface SqliteConnection {
  read<Result>(work: (run: Run) => Result): Promise<Result>;
  /** Runs `work` in a transaction: all its changes are stored, or none. */
  write<Result>(work: (run: Run) => Result): Promise<Result>;
  close(): Promise<void>;
}

const retryMs = 25;
/**
 * This long after a write, the write-ahead log is emptied, so that deleted data does not stay in it. Emptying it after each
 * write would take as long as several commits.
 */
const emptyLogAfterMs = 10_000;
/** After this much work in a turn of the event loop, the next piece of work waits for the next turn. */
const turnMs = 4;
/**
 * Other work may take longer than {@link turnMs} between two turns of the storage. The storage then has as much time as the
 * other work took, up to this limit. With only 4 ms after each 200 ms of other work, the lease would not be renewed in time.
 */
const maxTurnMs = 20;

/**
 * Opens the database file at `path` (or `:memory:`), and creates it with mode 0600 if it does not exist. A piece of work waits
 * at most {@link storageTimeoutMs} for a lock of another process. Other pieces run meanwhile, because SQLite can read while
 * another process writes. If the file is replaced, the new file is opened.
 */
export function createSqliteConnection(path: string, log: Pick<Log, "warn">): SqliteConnection {
  const file = openSqliteFile(path);
  const turns = new Mutex();

  const emptyLog = (): boolean => {
    try {
      return file.emptyLog();
    } catch (error) {
      if (!isBusy(error)) log.warn({ err: error }, "could not empty the write-ahead log");
      return false;
    }
  };
  let emptying: NodeJS.Timeout | undefined;
  const emptyLogLater = () => {
    emptying ??= setTimeout(() => {
      emptying = undefined;
      if (!emptyLog()) emptyLogLater();
    }, emptyLogAfterMs).unref();
  };
  // A crashed process may have left a log.
  emptyLogLater();

  /** When the first piece of work in this turn began (`performance.now()`). */
  let turnBegan: number | undefined;
  let allowedMs = turnMs;

  const leaveOthersTime = async () => {
    // The time between two pieces counts, too, because callers then work on the results.
    let restMs = 0;
    if (turnBegan !== undefined && performance.now() - turnBegan >= allowedMs) {
      const leftAt = performance.now();
      await setImmediate();
      restMs = performance.now() - leftAt;
    }
    if (turnBegan !== undefined) return;
    turnBegan = performance.now();
    allowedMs = Math.min(Math.max(restMs, turnMs), maxTurnMs);
    void setImmediate().then(() => {
      turnBegan = undefined;
    });
  };

  const inTurn = <Result>(work: () => Result): Promise<Result> =>
    turns.run(async () => {
      await leaveOthersTime();
      return work();
    });

  const patiently = async <Result>(work: () => Result): Promise<Result> => {
    for (const begun = performance.now(); ; await sleep(retryMs)) {
      try {
        return await inTurn(work);
      } catch (error) {
        if (!isBusy(error) || performance.now() - begun >= storageTimeoutMs) throw error;
      }
    }
  };

  return {
    read: (work) => patiently(() => file.run(work)),
    write: (work) =>
      patiently(() => {
        const result = file.transaction(work);
        emptyLogLater();
        return result;
      }),
    close: () =>
      inTurn(() => {
        clearTimeout(emptying);
        emptyLog();
        file.close();
      }),
  };
}
