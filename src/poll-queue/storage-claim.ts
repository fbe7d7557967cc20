import { createLoop, createSight, holderKey, holderOf, type LeaseHolder, type LeaseRecord } from "../alerts/lease.ts";
import { keptMs } from "../alerts/lease-term.ts";
import type { Log } from "../basics/log.ts";
import type { Table } from "../storage/table.ts";

/** All workers of a queue are one holder to a process without a queue. */
const workers: Omit<LeaseHolder, "beat" | "at"> = { id: "queue", host: "queue", pid: 0 };
const renewEveryMs = 5_000;
/** Two that write at the same time both see who wrote last. */
const settleMs = 1_000;
/** A claim that took longer to be written may have replaced one that was made after this process had looked. */
const promptMs = 100;
/** And a process that was replaced sees it when it renews its lease, every 5 s. */
const lateMs = 7_000;

const settled = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Says in the storage that workers of a queue poll here, as the lease says it of a single process: that one stands by, the
 * tools refuse to work, and workers wait for a single process that was there first.
 */
export interface StorageClaim {
  /** Whether workers may poll. */
  isMine(): boolean;
  /** Claims the storage, and keeps trying and renewing until it ends. Never rejects. */
  begin(): Promise<void>;
  /** Other workers may go on; where there are none, the claim lapses after 15 s. */
  end(): Promise<void>;
}

export interface StorageClaimDeps {
  readonly table: Table<LeaseRecord>;
  readonly log: Log;
  /** Awaited before each renewal: where it throws, workers may not poll. */
  check?(): Promise<void>;
}

export function createStorageClaim({ table, log, check }: StorageClaimDeps): StorageClaim {
  const monotonic = () => performance.now();
  const believed = createSight({ ...workers, beat: 0, at: 0 }, monotonic);
  let renewedAt = Number.NEGATIVE_INFINITY;
  let beat = 0;
  let isWarned = false;
  const isMine = () => monotonic() - renewedAt < keptMs;
  const isOurs = (record: LeaseRecord | undefined) => holderOf(record)?.id === workers.id;

  async function renew(): Promise<number> {
    const begun = monotonic();
    await check?.();
    const readAt = monotonic();
    const present = await table.get(holderKey);
    const believedMs = believed(present, begun);
    if (believedMs > 0) {
      renewedAt = Number.NEGATIVE_INFINITY;
      if (!isWarned) {
        const holder = holderOf(present);
        const fields = { host: holder?.host, pid: holder?.pid };
        log.warn(fields, "a process without QUEUE_URL polls on this storage: workers wait until it ends");
      }
      isWarned = true;
      return Math.min(believedMs, renewEveryMs);
    }
    await table.set(holderKey, { ...workers, beat: ++beat, at: Date.now() });
    if (!isMine()) {
      await settled(monotonic() - readAt > promptMs ? lateMs : settleMs);
      if (!isOurs(await table.get(holderKey))) return settleMs;
    }
    isWarned = false;
    renewedAt = begun;
    return renewEveryMs;
  }

  const attempts = createLoop(() =>
    renew().catch((error: unknown) => {
      log.warn({ err: error }, "could not renew the workers' claim on the storage; trying again");
      return renewEveryMs;
    }),
  );

  return {
    isMine,
    begin: attempts.run,
    async end() {
      await attempts.end(settleMs);
    },
  };
}
