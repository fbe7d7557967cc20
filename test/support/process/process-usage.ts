import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Bot } from "./world.ts";

const megabyte = 1e6;
const collectDeadlineMs = 10_000;
const collectedSchema = z.object({ rss: z.number(), heapUsed: z.number() });

/** Resident memory in MB (10^6 bytes), see proc_pid_status(5). */
export async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024) / megabyte;
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

/** Processor time so far, user and system, in ms (proc_pid_stat(5)). */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name is in parentheses, and may have spaces. utime and stime are the 12th and 13th fields after the name.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
}

export const descriptorsOf = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

/** The environment that a process needs for {@link collect}. */
export const collectable = {
  NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(join(import.meta.dirname, "collect-on-signal.js"))}`,
};

/** Collects the garbage of a bot for the nth time in its life. Resolves to what is left, in MB (10^6 bytes). */
export async function collect(bot: Bot, nth = 1): Promise<{ rss: number; heap: number }> {
  bot.signal("SIGUSR2");
  const line = await bot.printed(`{"collection":${nth},`, collectDeadlineMs);
  const { rss, heapUsed } = collectedSchema.parse(JSON.parse(line));
  return { rss: rss / megabyte, heap: heapUsed / megabyte };
}
