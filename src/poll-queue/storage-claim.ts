import type { Log } from "../basics/log.ts";
import {
  createLoop,
  createSight,
  holderKey,
  holderOf,
  type LeaseHolder,
  type LeaseStorage,
  leaseTable,
} from "../polling/lease.ts";
import { keptMs } from "../polling/lease-term.ts";
import { absent } from "../storage/table.ts";

/** All workers of a queue are one holder to a process without a queue. */
const workers: Omit<LeaseHolder, "beat" | "at"> = { id: "queue", host: "queue", pid: 0 };
const renewEveryMs = 5_000;
/** A renewal that is under way ends within this time, or is left. */
const endMs = 1_000;
const retryMs = 100;

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
  readonly storage: LeaseStorage;
  readonly log: Log;
  /** Awaited before each renewal: where it throws, workers may not poll. */
  check?(): Promise<void>;
}

export function createStorageClaim({ storage, log, check }: StorageClaimDeps): StorageClaim {
  const table = storage.table(leaseTable);
  const monotonic = () => performance.now();
  const believed = createSight({ ...workers, beat: 0, at: 0 }, monotonic);
  let renewedAt = Number.NEGATIVE_INFINITY;
  let beat = 0;
  let isWarned = false;
  const isMine = () => monotonic() - renewedAt < keptMs;

  async function renew(): Promise<number> {
    const begun = monotonic();
    await check?.();
    const [present = absent(holderKey)] = await table.read([holderKey]);
    const believedMs = believed(present.value, begun);
    if (believedMs > 0) {
      renewedAt = Number.NEGATIVE_INFINITY;
      if (!isWarned) {
        const holder = holderOf(present.value);
        const fields = { host: holder?.host, pid: holder?.pid };
        log.warn(fields, "a process without QUEUE_URL polls on this storage: workers wait until it ends");
      }
      isWarned = true;
      return Math.min(believedMs, renewEveryMs);
    }
    // Where another process was faster, its record is looked at next.
    const claim = table.put(present, { ...workers, beat: ++beat, at: Date.now() });
    if (!(await storage.commit([claim]))) return retryMs;
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
      await attempts.end(endMs);
    },
  };
}
