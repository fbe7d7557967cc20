import type { Planning } from "../orders/plan-messages.ts";
import { type CopyStamp, copyStamp, doubtAfterRestoreMs, notInFuture } from "../storage/data-record.ts";
import type { Storage } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";

type RestoredStamp = CopyStamp & { readonly restoredAt: number };

/**
 * If the storage is a restored copy, knows when the copy was made, and when it was restored. Messages that were sent between
 * these times are not recorded, so posted-before.ts searches for them.
 *
 * A copy by `pg_dump` or `BGSAVE` has no stamp. A file copied by hand gets a stamp only if `npm run restore` puts it in place.
 */
export class RestoredCopy {
  private readonly storage: Storage;
  private readonly now: () => number;
  private known: Promise<RestoredStamp | undefined> | undefined;

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  /** Must be called before a poll. The first call on a restored copy records the time of the restore. */
  async stamp(): Promise<RestoredStamp | undefined> {
    const stamp = await this.remembered();
    if (stamp === undefined || stamp.restoredAt <= this.now()) return stamp;
    // The clock was fast when the stamp was written, or it is slow now. `read` decides which, and may correct the stamp.
    this.known = undefined;
    return this.remembered();
  }

  private remembered(): Promise<RestoredStamp | undefined> {
    this.known ??= this.read().catch((error: unknown) => {
      this.known = undefined;
      throw error;
    });
    return this.known;
  }

  private async read(): Promise<RestoredStamp | undefined> {
    const found = await copyStamp.read(this.storage);
    if (found === undefined) return undefined;
    const now = this.now();
    const { copiedAt, restoredAt } = found;
    // If both times are in the future, this machine's clock is probably slow, so the stamp stays.
    if (restoredAt !== undefined && (restoredAt <= now || copiedAt > now)) return { copiedAt, restoredAt };
    const stamp = { copiedAt: notInFuture(copiedAt, now), restoredAt: now };
    await copyStamp.write(this.storage, stamp);
    return stamp;
  }

  /**
   * The earliest time (epoch ms) at which messages about an order may have been posted without a record. Undefined if this is
   * impossible.
   *
   * @param isFirstRound true until the poller's memory has all pages of the list (`ListMemory.isComplete`)
   */
  async sinceOfOrder({ createdAt }: Pick<Order, "createdAt">, isFirstRound: boolean): Promise<number | undefined> {
    const stamp = await this.stamp();
    if (stamp === undefined) return undefined;
    const isOlder = createdAt !== undefined && createdAt < stamp.restoredAt;
    const mayBeOlder = isFirstRound && this.now() < stamp.restoredAt + doubtAfterRestoreMs;
    return isOlder || mayBeOlder ? stamp.copiedAt : undefined;
  }

  /** Returns a function that does the same as `sinceOfOrder`, for the message of a stored row (see `Planning`). */
  async sinceOfRow(): Promise<Planning["sinceOf"]> {
    const stamp = await this.stamp();
    return ({ foundAt, since }) => {
      if (stamp === undefined || foundAt >= stamp.restoredAt) return since;
      return Math.min(since ?? stamp.copiedAt, stamp.copiedAt);
    };
  }

  /** Another process may have restored the storage. */
  forgetMemory() {
    this.known = undefined;
  }
}
