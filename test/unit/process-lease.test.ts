import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLeaseObserver, createProcessLease, leasesTable, type Self } from "../../src/polling/process-lease.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { WholeStorage } from "../../src/storage/table.ts";

// Of another process that left its lease behind, only the kernel that both run on can say at once that it ended.

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
/** A pid that no process here has any more. */
const ended = spawnSync(process.execPath, ["--version"]).pid;

let storage: WholeStorage;
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", log);
});
afterEach(() => storage.close());

/** As a process of this machine writes itself down. */
async function ofThisMachine(): Promise<Self> {
  const lease = createProcessLease({ storage, shares: true });
  await lease.renew(undefined);
  const row = await storage.table(leasesTable).get(lease.id);
  await lease.leave();
  if (row === undefined || !("pid" in row)) throw new Error("no lease was written");
  return { host: row.host, pid: row.pid, pids: row.pids };
}

/** For how many ms this process believes the lease of a process, `later` after it saw it first. */
async function believedMs(self: Self, later = 0) {
  await createProcessLease({ storage, shares: true, self }).renew(undefined);
  let at = 0;
  const observer = createLeaseObserver(storage, () => at);
  await observer.others();
  at = later;
  const [other] = await observer.others();
  return other?.believedMs;
}

describe("a lease that was left behind", () => {
  it("is over at once where the process ended on this machine", async () => {
    expect(await believedMs({ ...(await ofThisMachine()), pid: ended })).toBe(0);
  });

  it("holds where the process still runs", async () => {
    expect(await believedMs({ ...(await ofThisMachine()), pid: process.ppid })).toBe(15_000);
  });

  it.each([
    [
      "another boot of this machine, or a machine that is its copy",
      (pids: string) => pids.replace(/^\S+/, "f".repeat(36)),
    ],
    ["another container of this machine", (pids: string) => pids.replace(/\d+(?=\]$)/, "1")],
    ["an earlier version, which wrote down no boot", (pids: string) => pids.replace(/^\S+ /, "")],
    ["a system that says nothing of its boot", () => undefined],
  ])("holds for 15 s where a process with this host name was of %s", async (_, changed) => {
    const { pids = "" } = await ofThisMachine();
    const other = { host: hostname(), pid: ended, pids: changed(pids) };
    expect(await believedMs(other, 14_000)).toBe(1_000);
  });
});
