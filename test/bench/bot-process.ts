import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "../../src/operations/log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import type { World } from "../support/world.ts";

export const silent = createLog("silent");

/** What the bot of this world keeps on disk, beside the bot. */
export const storageOf = ({ directory }: World): Promise<Storage> =>
  openStorage(`sqlite://${join(directory, "data", "shopbell.sqlite")}`, silent);

/** Resident memory in MB (10^6 bytes), now and at its highest, as Linux counts it. */
export async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024) / 1e6;
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

/** Processor time that the process has used so far, user and system, in ms. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // proc_pid_stat(5): the name is in parentheses and may hold spaces; utime and stime are the 12th and 13th after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
}
