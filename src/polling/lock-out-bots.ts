import { partitions as allPartitions, partitionCount } from "../storage/polled-servers.ts";
import type { Row, Storage } from "../storage/table.ts";
import { type PartitionOwner, Partitions, partitionsTable } from "./partitions.ts";
import { createLeaseObserver, createProcessLease, type LeaseStorage, renewEveryMs } from "./process-lease.ts";

const lookEveryMs = 500;
const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Uses the global `setTimeout`, because tests cannot control the clock of `node:timers/promises`. */
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Returns the rows of all partitions if no process polls on this storage, and undefined if one does. Changes nothing. The
 * answer takes up to 15 s if a process on another machine polled recently, or if a process was killed. Throws `StorageError`.
 */
async function unpolledRows(storage: Pick<Storage, "table">): Promise<Row<PartitionOwner>[] | undefined> {
  const { others, former } = createLeaseObserver(storage, () => performance.now());
  for (;;) {
    const rows = await storage.table(partitionsTable).read(allPartitions.map(String));
    const believed = [...(await others()), ...(await former())].filter(({ believedMs }) => believedMs > 0);
    if (believed.length === 0) return rows;
    if (believed.some(({ isSeenAlive }) => isSeenAlive)) return undefined;
    await delay(Math.min(lookEveryMs, ...believed.map(({ believedMs }) => believedMs)));
  }
}

/** Whether a process polls on this storage. Changes nothing, and takes up to 15 s. Throws `StorageError`. */
export const hasPoller = async (storage: Pick<Storage, "table">): Promise<boolean> =>
  (await unpolledRows(storage)) === undefined;

/** Keeps bots from polling on a storage until `end` is called. */
export interface BotLockout {
  /**
   * Whether a bot may have worked with the storage since the start, because this program was suspended or the storage was slow.
   */
  isBroken(): boolean;
  /** Lets bots poll again: at once if `release` is true, otherwise after 15 s. Throws `StorageError`. */
  end(how: { readonly release: boolean }): Promise<void>;
}

/**
 * Takes every partition for a program that is not a bot, so that no bot polls. Returns undefined if a bot works with the
 * storage.
 * It takes up to 15 s to be sure that no process on another machine polls. Throws `StorageError`.
 */
export async function lockOutBots(storage: LeaseStorage): Promise<BotLockout | undefined> {
  const membership = createProcessLease({ storage, shares: false });
  const partitions = new Partitions({
    storage,
    membership,
    log: silent,
    onServers: nothing,
    onChanged: nothing,
    onLost: nothing,
  });
  const rows = await unpolledRows(storage);
  if (rows === undefined) return undefined;
  await membership.renew(undefined);
  await partitions.take(rows);
  const isBroken = () => partitions.numbers.length < partitionCount;
  if (isBroken()) {
    await membership.leave();
    return undefined;
  }
  const timer = setInterval(() => {
    if (!isBroken()) membership.renew(undefined).catch(nothing);
  }, renewEveryMs);
  return {
    isBroken,
    async end({ release }) {
      clearInterval(timer);
      const { numbers } = partitions;
      partitions.loseAll();
      if (!release) return;
      await partitions.release(numbers);
      await membership.leave();
    },
  };
}
