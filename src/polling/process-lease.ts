import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { absent, type Row, type Storage, type TableShape } from "../storage/table.ts";

const leaseMs = 15_000;
export const renewEveryMs = 5_000;

/**
 * The row of a process that polls, stands by, or keeps bots from polling. A process is alive if its row changes. A time in the
 * row proves nothing, because the clocks of machines differ. Version 0.1.0 changes `at`, and has no `beat`.
 */
const memberSchema = z.object({
  /** Only for people to read: containers and copied machines may have the same host name. */
  host: z.string(),
  pid: z.number(),
  /** Names a group of processes that all have different pids. Undefined if the system has no such name. */
  pids: z.string().optional(),
  beat: z.number().optional(),
  at: z.number().optional(),
  /** Whether the process is one of several workers (QUEUE_URL). */
  shares: z.boolean().optional(),
  /** When the process began its last poll round (epoch ms). */
  roundAt: z.number().optional(),
});
type LeaseRow = z.infer<typeof memberSchema>;

/** Keys are random, one for each process. While a row changes, its process is alive, even if the row is malformed. */
export const leasesTable: TableShape<LeaseRow> = {
  name: "members",
  schema: memberSchema.catch({ host: "", pid: 0 }),
  version: 1,
};

export type LeaseStorage = Pick<Storage, "table" | "commit">;

/**
 * A name of this container, new at each start of the machine. All running processes of the container have different pids. Only
 * Linux provides such a name. On other systems, the lease of a killed process is respected for up to 15 s.
 */
function countedPids(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export type Self = Pick<LeaseRow, "host" | "pid" | "pids">;
const thisProcess = (): Self => ({ host: hostname(), pid: process.pid, pids: countedPids() });

export interface OtherProcess extends Row<LeaseRow> {
  /** How long the lease still has to be respected (ms). 0 if the lease is over. */
  readonly believedMs: number;
  /** True if this process saw the other process renew the lease, and the lease is not over. */
  readonly isSeenAlive: boolean;
}

/** Measures by this machine's monotonic clock how long leases have to be respected. */
export function createLeaseObserver(
  read: () => AsyncIterable<Row<LeaseRow>>,
  monotonic: () => number,
  self: Self = thisProcess(),
): () => Promise<OtherProcess[]> {
  const seen = new Map<string, { readonly version: unknown; readonly at: number; readonly isRenewed: boolean }>();
  return async () => {
    const readAt = monotonic();
    const all: OtherProcess[] = [];
    for await (const row of read()) {
      const { key, value, version } = row;
      if (value === undefined) continue;
      const before = seen.get(key);
      const isSame = before?.version === version;
      const last = (isSame && before) || { version, at: monotonic(), isRenewed: before !== undefined };
      seen.set(key, last);
      const isDead = value.pids !== undefined && value.pids === self.pids && !isRunning(value.pid);
      const believedMs = isDead ? 0 : Math.max(leaseMs - (readAt - last.at), 0);
      all.push({ ...row, believedMs, isSeenAlive: believedMs > 0 && last.isRenewed });
    }
    return all;
  };
}

export interface ProcessLeaseDeps {
  readonly storage: LeaseStorage;
  readonly shares: boolean;
  readonly self?: Self | undefined;
  /** Epoch ms. */
  readonly now?: () => number;
  /** Ms. */
  readonly monotonic?: () => number;
}

const never = { wall: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/**
 * The lease of this process lasts 15 s and is renewed every 5 s. It proves that the process is alive, so that no other process
 * takes its partitions (held-partitions.ts).
 */
export function createProcessLease(deps: ProcessLeaseDeps) {
  const { storage, shares, self = thisProcess(), now = Date.now, monotonic = () => performance.now() } = deps;
  const id = randomUUID();
  const table = storage.table(leasesTable);
  const processes = createLeaseObserver(() => table.rows(), monotonic, self);
  let renewed = never;
  /** The `beat` of the last attempted renewal, and of the last one that is certainly stored. */
  let [tried, written] = [0, 0];

  /** Both clocks are needed: the monotonic clock stands still while a machine sleeps, and people may set the wall clock. */
  const isExpired = () => monotonic() - renewed.monotonic >= leaseMs || Math.abs(now() - renewed.wall) >= leaseMs;

  return {
    id,
    isExpired,
    /**
     * Resolves to false if the lease was over, if another process removed it, or if the storage was restored. Then this process
     * has lost all its partitions, and a later call begins a new lease.
     */
    async renew(roundAt: number | undefined): Promise<boolean> {
      const [row = absent(id)] = await table.read([id]);
      const beat = row.value?.beat ?? 0;
      // Other processes may have taken the partitions, so the lease must not become valid again.
      if (beat < written || (written > 0 && isExpired())) {
        renewed = never;
        written = 0;
        return false;
      }
      const begun = { wall: now(), monotonic: monotonic() };
      const next = { ...self, beat: ++tried, at: begun.wall, shares, roundAt };
      if (!(await storage.commit([table.put(row, next)]))) return false;
      written = tried;
      renewed = begun;
      return true;
    },
    others: async () => (await processes()).filter(({ key }) => key !== id),
    /** The row stays if it has changed. */
    async removeDead(dead: OtherProcess): Promise<void> {
      await storage.commit([table.remove(dead)]);
    },
    async leave(): Promise<void> {
      renewed = never;
      await table.delete(id);
    },
  };
}

export type ProcessLease = ReturnType<typeof createProcessLease>;
