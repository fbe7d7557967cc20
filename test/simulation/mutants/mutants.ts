import { type ChildProcess, spawn } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutated } from "./mutators.ts";
import type { Job, Played } from "./play-seeds.ts";
import { describe, type Result, report } from "./report.ts";
import { alertPathMutants, type Placed, sample } from "./sample.ts";

const { values } = parseArgs({
  options: { mutants: { type: "string", default: "250" }, seed: { type: "string", default: "1" } },
});

/** Seeds that are first played without a fault. Histories that pass are then played with mutants. */
const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const atOnce = 2;
/** Processor time for each mutant. */
const budgetMs = 60_000;
/**
 * A history with a mutant may take this many times its processor time without the fault, and `startMs` more. Above this it
 * counts as too slow. The first history of a process takes longer than others.
 */
const slower = 10;
const startMs = 5_000;
/** Limit in real time. A process that waits for ever uses no processor time. */
const deadlineMs = 60 * 60_000;
/** Node's exit code if a promise can never be settled: https://nodejs.org/docs/latest-v24.x/api/process.html#exit-codes */
const unsettled = 13;

const running = new Set<ChildProcess>();
const clear = (child: ChildProcess) => {
  for (const left of globSync(`{/dev/shm,${tmpdir()}}/shopbell-simulation-${child.pid}-*`))
    rmSync(left, { recursive: true, force: true });
};
process.once("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL");
    clear(child);
  }
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Plays histories in a child process. `failure` says how the process ended, if it did not end normally. */
async function inChild(job: Job): Promise<{ readonly histories: Played[]; readonly failure: string | undefined }> {
  const path = fileURLToPath(new URL("play-seeds.ts", import.meta.url));
  // Optimised code does not count its calls, so places that run often would seem to be reached by few histories.
  const counting = job.places === undefined ? [] : ["--no-opt", "--no-maglev"];
  const child = spawn(process.execPath, [...counting, "--max-old-space-size=1500", path, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: deadlineMs,
    killSignal: "SIGKILL",
  });
  running.add(child);
  let [said, complaint] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  child.once("error", reject);
  child.once("close", (code, signal) => {
    const why = complaint.split("\n").find((line) => /^\w*Error\b/.test(line));
    const end = code === unsettled ? "it waits for what never comes" : `ended by ${signal ?? `exit code ${code}`}`;
    resolve(code === 0 ? undefined : [end, why ?? []].flat().join(", "));
  });
  const failure = await promise.finally(() => {
    running.delete(child);
    clear(child);
  });
  const whole = said.slice(0, said.lastIndexOf("\n") + 1);
  return {
    histories: whole
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Played),
    failure,
  };
}

/**
 * Plays all seeds without a fault. Returns the histories that pass, the fastest first, each with the mutants whose
 * place it reaches.
 */
async function measure(places: readonly Placed[]): Promise<Played[]> {
  const shares = Array.from({ length: atOnce }, (_, share) => seeds.filter((seed) => seed % atOnce === share));
  const played = await Promise.all(
    shares.map(async (share) => {
      const { histories, failure } = await inChild({
        budgetMs: deadlineMs,
        seeds: share.map((seed) => ({ seed, limitMs: deadlineMs })),
        places: places.map(({ url, start }) => ({ url, start })),
      });
      if (failure !== undefined) throw new Error(`without a fault: ${failure}`);
      return histories;
    }),
  );
  return played
    .flat()
    .filter(({ wrong }) => wrong === "")
    .toSorted((one, other) => one.cpuMs - other.cpuMs || one.seed - other.seed);
}

/**
 * Plays histories with a mutant until one fails or the time is over. Only histories that reach the mutant's place are
 * played. If the place runs only while its file is loaded, all histories are played.
 */
async function attack(mutant: Placed, index: number, all: readonly Played[]): Promise<Result> {
  const reaching = all.filter(({ reached }) => reached.includes(index));
  const passing = reaching.length > 0 ? reaching : all;
  const { histories, failure } = await inChild({
    budgetMs,
    seeds: passing.map(({ seed, cpuMs }) => ({ seed, limitMs: slower * cpuMs + startMs })),
    mutant: { url: mutant.url, source: mutated(readFileSync(new URL(mutant.url), "utf8"), mutant) },
  });
  const last = histories.at(-1);
  const next = passing[histories.length]?.seed;
  const ended = failure !== undefined && next !== undefined ? { seed: next, wrong: failure } : undefined;
  const differing = histories.filter(({ trace }, index) => trace !== passing[index]?.trace).length;
  return { mutant, killedBy: last?.wrong ? last : ended, played: histories.length, differing };
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const begunAt = performance.now();
const seconds = () => Math.round((performance.now() - begunAt) / 1_000);
const all = alertPathMutants();
const sampled = sample(all, Number(values.mutants), Number(values.seed));
say(`${sampled.length} of ${[...all.values()].flat().length} mutants of ${all.size} files, seed ${values.seed}`);
const passing = await measure(sampled);
say(`${passing.length} of ${seeds.length} histories pass without a fault; ${seconds()} s`);
const results: Result[] = [];
const left = sampled.entries();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const [index, mutant] of left) {
      const result = await attack(mutant, index, passing);
      results.push(result);
      say(`${results.length}. ${describe(result)}`);
    }
  }),
);
say(report(results));
say(`${seconds()} s`);
