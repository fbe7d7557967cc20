// This program runs in a process of its own, because the file with the fault can be loaded only once in a process.
import "../install.ts";
import { writeSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { registerHooks } from "node:module";
import { Worker } from "node:worker_threads";

/** What one process plays. The job is the only argument, as JSON. */
export interface Job {
  /** The histories in their sequence. `limitMs`: more processor time than this means that the history is too slow. */
  readonly seeds: readonly { readonly seed: number; readonly limitMs: number }[];
  /** Processor time in ms after which no further history begins. */
  readonly budgetMs: number;
  /** A file, with its source after the fault. */
  readonly mutant?: { readonly url: string; readonly source: string };
  /** Places in files. Each history reports which of them it reached. `start` as in `Mutant`. */
  readonly places?: readonly { readonly url: string; readonly start: number }[];
}

/** The result of a history: a line of the output, as JSON. */
export interface Played {
  readonly seed: number;
  /** Processor time. */
  readonly cpuMs: number;
  readonly trace: string;
  /** The failures; empty if the history passed. */
  readonly wrong: string;
  /** Indexes of the places that the history reached. */
  readonly reached: readonly number[];
}

const job = JSON.parse(process.argv[2] ?? "") as Job;
const { mutant, places = [] } = job;
if (mutant !== undefined) {
  const { url, source } = mutant;
  registerHooks({
    load: (asked, context, next) =>
      asked === url ? { format: "module-typescript", source, shortCircuit: true } : next(asked, context),
  });
}

// A timer of this thread would never run during an endless loop, so another thread ends the process.
const endsAt = new Float64Array(new SharedArrayBuffer(8)).fill(job.budgetMs);
const watchdog = `
  const { workerData: endsAt } = require("node:worker_threads");
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(asleep, 0, 0, 200);
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1_000 > endsAt[0]) process.kill(process.pid, "SIGKILL");
  }`;
new Worker(watchdog, { eval: true, workerData: endsAt }).unref();

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const profiler = new Session();
if (places.length > 0) {
  profiler.connect();
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

/** Returns the places that ran since the last call. V8 counts how often the smallest range around each place ran. */
async function reachedPlaces(): Promise<number[]> {
  if (places.length === 0) return [];
  const { result } = await profiler.post("Profiler.takePreciseCoverage");
  const byUrl = Map.groupBy(result, ({ url }) => url);
  return places.flatMap(({ url, start }, index) => {
    const around = (byUrl.get(url) ?? [])
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .filter(({ startOffset, endOffset }) => startOffset <= start && start < endOffset)
      .toSorted((one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset));
    return around[0] !== undefined && around[0].count > 0 ? [index] : [];
  });
}

const { installMachine } = await import("../lives.ts");
const { play } = await import("../play-history.ts");
const { drawHistory } = await import("../draw-history.ts");
await import("../../../src/storage/sqlite-backend.ts");
installMachine();
// Places that run while their file is loaded count as reached by no history.
await reachedPlaces();

for (const { seed, limitMs } of job.seeds) {
  const begunAt = cpuMs();
  if (begunAt > job.budgetMs) break;
  endsAt[0] = begunAt + limitMs;
  const { trace, wrong } = await play(drawHistory(seed)).then(
    ({ findings, ...outcome }) => ({ ...outcome, wrong: [...new Set(findings.map(({ what }) => what))].join(", ") }),
    (error: unknown) => ({ trace: "", wrong: `the simulation failed: ${error}` }),
  );
  const played: Played = { seed, cpuMs: cpuMs() - begunAt, trace, wrong, reached: await reachedPlaces() };
  writeSync(1, `${JSON.stringify(played)}\n`);
  if (mutant !== undefined && wrong !== "") break;
}
process.exit(0);
