import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault, ReadyFault } from "./fault.ts";

const mebibyte = 1 << 20;
const limitBytes = 256 * mebibyte;
/** The memory controller of cgroups, version 1. */
const controller = "/sys/fs/cgroup/memory";

function isWritable(): boolean {
  try {
    accessSync(controller, constants.W_OK);
    return existsSync(join(controller, "memory.limit_in_bytes"));
  } catch {
    return false;
  }
}

/** The group that this process is in. */
function ownGroup(): string {
  const [, path = "/"] = /^\d+:memory:(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
  return join(controller, path);
}

const enter = (group: string) => writeFileSync(join(group, "cgroup.procs"), String(process.pid));

async function prepare(): Promise<ReadyFault> {
  const group = join(controller, `shopbell-${process.pid}`);
  mkdirSync(group);
  writeFileSync(join(group, "memory.limit_in_bytes"), String(limitBytes));
  const figure = (name: string) => Number(readFileSync(join(group, name), "utf8"));
  return {
    inside(start) {
      const home = ownGroup();
      enter(group);
      try {
        return start();
      } finally {
        enter(home);
      }
    },
    async figures() {
      const most = Math.round(figure("memory.max_usage_in_bytes") / mebibyte);
      return [`At most ${most} of the 256 MiB were in use; code that other processes use as well is not counted.`];
    },
    async clean() {
      rmdirSync(group);
    },
  };
}

export const littleMemory: Fault = {
  title: "There are 256 MB of memory",
  made: "From its start the bot may use 256 MiB of memory (cgroups); 600 orders arrive within 20 s.",
  lastsMs: 20_000,
  orders: 600,
  gauges: ["process_resident_memory_bytes"],
  missing: () => (isWritable() ? undefined : "memory is limited by cgroups of version 1, which may not be made here"),
  prepare,
};
