import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Bot } from "../support/world.ts";

/** What a process holds at a moment. Memory in MB (10^6 bytes). */
export interface Sample {
  /** Since the run began, in ms. */
  readonly atMs: number;
  /** Which start of the bot. */
  readonly life: number;
  /** What failed. */
  readonly faults: readonly string[];
  /** Memory as it is. */
  readonly rss: number;
  readonly descriptors: number;
  /** Processor time of this start so far, user and system, in ms. */
  readonly processorMs: number;
  /** After all garbage was collected, where it was. */
  readonly atRest?: { readonly rss: number; readonly heap: number };
}

const megabyte = 1e6;
const collectDeadlineMs = 10_000;
const collected = z.object({ rss: z.number(), heapUsed: z.number() });

const ticksPerSecond = () => Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** What a bot's process has to be started with, for {@link collect}. */
export const collectable = {
  NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(join(import.meta.dirname, "collect-on-signal.js"))}`,
};

/** What a process holds, as Linux counts it (proc_pid_status(5), proc_pid_fd(5), proc_pid_stat(5)). */
export async function look(pid: number): Promise<Pick<Sample, "rss" | "descriptors" | "processorMs">> {
  const [status, stat, open] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
    readdir(`/proc/${pid}/fd`),
  ]);
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  // The name is in parentheses and may hold spaces; utime and stime are the 12th and 13th after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const processorMs = ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond()) * 1_000;
  return { rss: (kibibytes * 1_024) / megabyte, descriptors: open.length, processorMs };
}

/** Collects the garbage of a bot for the nth time in its life, and says what is left, in MB. */
export async function collect(bot: Bot, nth: number): Promise<NonNullable<Sample["atRest"]>> {
  bot.signal("SIGUSR2");
  const line = await bot.printed(`{"collection":${nth},`, collectDeadlineMs);
  const { rss, heapUsed } = collected.parse(JSON.parse(line));
  return { rss: rss / megabyte, heap: heapUsed / megabyte };
}
