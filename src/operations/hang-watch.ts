import { Worker } from "node:worker_threads";
import type { Log } from "../basics/log.ts";

/** The longest work in one piece is a hundredth of it; Discord itself gives a connection up after a minute and a half. */
const longestHangMs = 30_000;
const beatEveryMs = 1_000;

/**
 * Watches the event loop of this thread from another one, which writes a sentence to stderr and ends the process with
 * SIGKILL when the loop has not turned for 30 s: nothing gentler can reach it. In a process that is stopped, or on a machine
 * that sleeps, the other thread stands still as well, and such time does not count.
 */
export function startHangWatch(log: Pick<Log, "warn">, longestMs = longestHangMs, beatMs = beatEveryMs): void {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const beats = new Int32Array(shared);
  setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
  const worker = new Worker(new URL("hang-watcher.js", import.meta.url), {
    workerData: { shared, longestMs, lookEveryMs: beatMs },
    execArgv: [],
    env: {},
    // Three times of what Node itself takes there: it keeps nothing.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  worker.on("error", (error) =>
    log.warn({ err: error }, "nobody watches the event loop any more, until the next start"),
  );
  worker.unref();
}
