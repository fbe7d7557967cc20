import { sleep } from "../basics/limits/sleep.ts";
import { partitions as allPartitions } from "../storage/polled-servers.ts";
import type { Row, Storage } from "../storage/table.ts";
import { type PartitionOwner, partitionsTable, takenBy } from "./held-partitions.ts";
import {
  createLeaseObserver,
  createProcessLease,
  type LeaseStorage,
  leasesTable,
  renewEveryMs,
} from "./process-lease.ts";

const lookEveryMs = 500;
const nothing = () => undefined;

/** Up to version 3 of the data, only one process polled. Its row has the key `polls` in this table. */
const formerTable = { ...leasesTable, name: "lease" };

/**
 * The rows of all partitions, or undefined if a process polls or stands by on this storage. Changes nothing. A process that may
 * be dead is watched for up to 15 s.
 */
async function unpolledRows(storage: Pick<Storage, "table">): Promise<Row<PartitionOwner>[] | undefined> {
  async function* leases() {
    yield* storage.table(leasesTable).rows();
    yield* await storage.table(formerTable).read(["polls"]);
  }
  const processes = createLeaseObserver(leases, () => performance.now());
  for (;;) {
    const rows = await storage.table(partitionsTable).read(allPartitions.map(String));
    const believed = (await processes()).filter(({ believedMs }) => believedMs > 0);
    if (believed.length === 0) return rows;
    if (believed.some(({ isSeenAlive }) => isSeenAlive)) return undefined;
    await sleep(Math.min(lookEveryMs, ...believed.map(({ believedMs }) => believedMs)));
  }
}

/** Changes nothing, and takes up to 15 s. */
export const hasPoller = async (storage: Pick<Storage, "table">): Promise<boolean> =>
  (await unpolledRows(storage)) === undefined;

export interface BotLockout {
  /** True if a bot may have worked in spite of the lockout, because this program was suspended or the storage was slow. */
  isBroken(): boolean;
  /** Lets bots poll. If this is not called, they can poll 15 s after the storage was closed. */
  end(): Promise<void>;
}

/**
 * Takes every partition, so that no bot polls during a migration or while a tool works. Undefined if a process polls or stands
 * by on the storage, or if the storage is too slow. Waits up to 15 s if a process that may be dead has a lease.
 */
export async function lockOutBots(storage: LeaseStorage): Promise<BotLockout | undefined> {
  const rows = await unpolledRows(storage);
  if (rows === undefined) return undefined;
  const lease = createProcessLease({ storage, shares: false });
  const owners = storage.table(partitionsTable);
  const taking = rows.map((row) => owners.put(row, takenBy(lease.id)));
  await lease.renew(undefined);
  if (!(await storage.commit(taking)) || lease.isExpired()) {
    await lease.leave();
    return undefined;
  }
  const timer = setInterval(() => {
    if (!lease.isExpired()) lease.renew(undefined).catch(nothing);
  }, renewEveryMs).unref();
  return {
    isBroken: lease.isExpired,
    async end() {
      clearInterval(timer);
      await storage.commit(taking.map((step) => owners.remove(owners.written(step))));
      await lease.leave();
    },
  };
}
