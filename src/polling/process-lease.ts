import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { absent, type Storage, type TableShape } from "../storage/table.ts";

/** A lease that was not renewed for this long is over. */
const leaseMs = 15_000;
export const renewEveryMs = 5_000;

/**
 * The row of a process that polls, or that keeps bots from polling. A process is alive if its row changes. A time in the row
 * proves nothing, because the clocks of machines differ. Version 0.1.0 has no `beat`, and changes `at` instead.
 */
const memberSchema = z.object({
  /** Only shown to people. It identifies no machine, because containers and copied machines may have the same host name. */
  host: z.string(),
  pid: z.number(),
  /** Names the group of processes in which the pid is unique. Undefined if the system has no such name. */
  pids: z.string().optional(),
  beat: z.number().optional(),
  at: z.number().optional(),
  /** Whether the process is one of several workers (QUEUE_URL). */
  shares: z.boolean().optional(),
  /** When the process began its last poll round (epoch ms). */
  roundAt: z.number().optional(),
});
/** A malformed row, as text. If the text changes, the process of the row is alive. */
const strangeSchema = z.object({ strange: z.string() });

export type LeaseRow = z.infer<typeof memberSchema>;
type MemberRow = LeaseRow | z.infer<typeof strangeSchema>;

export const leasesTable: TableShape<MemberRow> = {
  name: "members",
  schema: z.union([memberSchema, strangeSchema]).catch(({ value }) => ({ strange: JSON.stringify(value) })),
  version: 1,
};

/** Up to version 3 of the data, only one process polled. It has one row in this table. */
const formerTable = { ...leasesTable, name: "lease" };
const formerKey = "polls";

export type LeaseStorage = Pick<Storage, "table" | "commit">;

/**
 * Returns a name of the group of processes in which the pid of this process is unique. These are the processes in this
 * container, since this machine started. Only Linux provides such a name. On other systems, the lease of a killed process lasts
 * 15 s.
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

/** Another process, as its row shows it. */
export interface OtherProcess {
  readonly id: string;
  /** Undefined if the row is malformed. */
  readonly member: LeaseRow | undefined;
  /** Milliseconds for which its lease has to be respected. 0 if the lease is over. */
  readonly believedMs: number;
  /** Whether this process saw the other process renew its lease. */
  readonly isSeenAlive: boolean;
}

/** Measures by this machine's monotonic clock how long the leases of other processes have to be respected. */
export function createLeaseObserver(
  storage: Pick<Storage, "table">,
  monotonic: () => number,
  self: Self = thisProcess(),
) {
  const seen = new Map<string, { readonly text: string; readonly at: number; readonly isRenewed: boolean }>();

  function sighted(id: string, row: MemberRow, readAt: number): OtherProcess {
    const text = JSON.stringify(row);
    const before = seen.get(id);
    const last = text === before?.text ? before : { text, at: monotonic(), isRenewed: before !== undefined };
    seen.set(id, last);
    const member = "pid" in row ? row : undefined;
    const isVisible = member?.pids !== undefined && member.pids === self.pids;
    const isDead = isVisible && !isRunning(member.pid);
    const believedMs = isDead ? 0 : Math.max(leaseMs - (readAt - last.at), 0);
    return { id, member, believedMs, isSeenAlive: believedMs > 0 && last.isRenewed };
  }

  return {
    /** Returns all other processes. Throws `StorageError`. */
    async others(me?: string): Promise<OtherProcess[]> {
      const readAt = monotonic();
      const all: OtherProcess[] = [];
      for await (const { key: id, value: row } of storage.table(leasesTable).rows()) {
        if (id !== me) all.push(sighted(id, row, readAt));
      }
      return all;
    },
    /** Returns the process of an earlier version, whose row is in a table of its own. Throws `StorageError`. */
    async former(): Promise<OtherProcess[]> {
      const readAt = monotonic();
      const row = await storage.table(formerTable).get(formerKey);
      return row === undefined ? [] : [sighted(formerKey, row, readAt)];
    },
  };
}

export interface ProcessLeaseDeps {
  readonly storage: LeaseStorage;
  /** Whether this process is one of several workers (QUEUE_URL). */
  readonly shares: boolean;
  readonly self?: Self | undefined;
  /** Epoch ms. A person may set this clock. */
  readonly now?: () => number;
  /** Ms. This clock stands still while the machine sleeps. */
  readonly monotonic?: () => number;
}

/**
 * The lease of this process: it lasts 15 s and is renewed every 5 s. It proves that the process is alive, so that no other
 * process takes its partitions (partitions.ts). The lease of one server is guild-lease.ts.
 */
export interface ProcessLease {
  readonly id: string;
  /**
   * Whether the lease is over by one of the two clocks. Both are needed: the monotonic clock stands still while a machine
   * sleeps, and a person may set the wall clock.
   */
  isExpired(): boolean;
  /**
   * Renews the lease. Resolves to false if the lease was over, if another process removed it, or if the storage was restored.
   * Then this process has lost all its partitions, and the next call begins a new lease. Throws `StorageError`.
   *
   * @param roundAt when the last poll round began (epoch ms)
   */
  renew(roundAt: number | undefined): Promise<boolean>;
  /** Returns all other processes. Throws `StorageError`. */
  others(): Promise<OtherProcess[]>;
  /** Removes the row of a dead process. Throws `StorageError`. */
  removeDead(dead: OtherProcess): Promise<void>;
  /** Ends the lease. Throws `StorageError`. */
  leave(): Promise<void>;
}

const never = { wall: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

export function createProcessLease(deps: ProcessLeaseDeps): ProcessLease {
  const { storage, shares, self = thisProcess(), now = Date.now, monotonic = () => performance.now() } = deps;
  const id = randomUUID();
  const table = storage.table(leasesTable);
  const { others } = createLeaseObserver(storage, monotonic, self);
  let renewed = never;
  /** The numbers (`beat`) of the last attempted renewal and of the last one that is certainly stored. */
  let [tried, written] = [0, 0];

  const isOver = () => monotonic() - renewed.monotonic >= leaseMs || Math.abs(now() - renewed.wall) >= leaseMs;

  return {
    id,
    isExpired: isOver,
    async renew(roundAt) {
      const [row = absent(id)] = await table.read([id]);
      const beat = row.value && "beat" in row.value ? (row.value.beat ?? 0) : 0;
      // The lease was over or removed, so other processes may have taken the partitions. It must not become valid again.
      if (beat < written || (written > 0 && isOver())) {
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
    others: () => others(id),
    async removeDead({ id: dead, member }) {
      const [row = absent(dead)] = await table.read([dead]);
      const isSame = row.value !== undefined && "pid" in row.value && row.value.beat === member?.beat;
      if (isSame) await storage.commit([table.remove(row)]);
    },
    async leave() {
      renewed = never;
      const [row = absent(id)] = await table.read([id]);
      if (row.value) await storage.commit([table.remove(row)]);
    },
  };
}
