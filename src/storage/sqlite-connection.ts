import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import { storageTimeoutMs } from "./backend.ts";
import { isBusy, openSqliteFile, type Run } from "./sqlite-file.ts";

/**
 * One connection to one database file. Pieces of work run one after another, each without a pause in it, and some
 * milliseconds of them in one turn of the event loop.
 */
export interface SqliteConnection {
  read<Result>(work: (run: Run) => Result): Promise<Result>;
  /** Everything that `work` does is kept, or nothing is. */
  write<Result>(work: (run: Run) => Result): Promise<Result>;
  close(): Promise<void>;
}

const retryMs = 25;
/**
 * How long what was overwritten or deleted stays in the write-ahead log, if no other process is in the way. To empty it costs
 * as much as some commits, and the lease is renewed every few seconds.
 */
const emptyLogAfterMs = 10_000;
/**
 * After so long, the next piece of work waits for a turn of the event loop. It is a tenth of what the process may be held up for,
 * because the caller then works on what was read, and because a value of some MiB takes about as long.
 */
const turnMs = 4;
/**
 * Where the rest of a turn took longer than that, the pieces get as long as the rest, up to this. With 4 ms of every 200 the lease
 * would not be renewed in time, and all that was read would be forgotten and read again.
 */
const maxTurnMs = 20;

/**
 * Opens the database file at `path` (or `:memory:`), and creates it with mode 0600 where there is none. A lock of
 * another process is waited for up to {@link storageTimeoutMs}. When the file is found broken, missing or replaced, all work
 * rejects until there is a sound one in its place. What was overwritten or deleted stays in the write-ahead log
 * for 10 s, or as long as another process reads an older state of the file.
 */
export function createSqliteConnection(path: string, log: Pick<Log, "warn">): SqliteConnection {
  const file = openSqliteFile(path, () => emptyLogIn(0));
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const emptyLog = (): boolean => {
    try {
      return file.emptyLog();
    } catch (error) {
      if (!isBusy(error)) log.warn({ err: error }, "the write-ahead log could not be emptied");
      return false;
    }
  };
  let emptying: NodeJS.Timeout | undefined;
  const emptyLogIn = (ms: number) => {
    if (isClosed) return;
    emptying ??= setTimeout(() => {
      emptying = undefined;
      if (!emptyLog()) emptyLogIn(emptyLogAfterMs);
    }, ms).unref();
  };

  const attempt = async <Result>(deadline: number, work: () => Result): Promise<Result> => {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        await delay(retryMs);
      }
    }
  };

  /** When the first piece of this turn of the event loop began, on the monotonic clock. */
  let turnBegan: number | undefined;
  let allowedMs = turnMs;

  const leaveOthersTime = async () => {
    // What callers do between two pieces counts, too: it holds up others as well.
    let restMs = 0;
    if (turnBegan !== undefined && performance.now() - turnBegan >= allowedMs) {
      const leftAt = performance.now();
      await nextTurn();
      restMs = performance.now() - leftAt;
    }
    if (turnBegan !== undefined) return;
    turnBegan = performance.now();
    allowedMs = Math.min(Math.max(restMs, turnMs), maxTurnMs);
    void nextTurn().then(() => {
      turnBegan = undefined;
    });
  };

  const inTurn = <Result>(work: () => Result): Promise<Result> => {
    const deadline = performance.now() + storageTimeoutMs;
    const begin = async () => {
      await leaveOthersTime();
      return attempt(deadline, work);
    };
    const turn = last.then(begin, begin);
    last = turn;
    return turn;
  };

  return {
    read: (work) => inTurn(() => file.run(work)),
    write: (work) =>
      inTurn(() => {
        const result = file.transaction(work);
        emptyLogIn(emptyLogAfterMs);
        return result;
      }),
    close: () =>
      inTurn(() => {
        isClosed = true;
        clearTimeout(emptying);
        emptyLog();
        file.close();
      }),
  };
}
