import type { Planning } from "../orders/plan-messages.ts";
import { type CopyMark, copyMark, doubtAfterRestoreMs, notInFuture } from "../storage/data-record.ts";
import type { Storage } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";

type RestoredMark = CopyMark & { readonly restoredAt: number };

/**
 * If the storage is a restored copy, knows when the copy was made, and when it was restored. Messages that were sent between
 * these times are not recorded, so posted-before.ts searches for them.
 *
 * A copy by `pg_dump` or `BGSAVE` has no mark. A file copied by hand gets a mark only if `npm run restore` puts it in place.
 */
export class RestoreMarker {
  private readonly storage: Storage;
  private readonly now: () => number;
  private known: Promise<RestoredMark | undefined> | undefined;

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  /** Must be called before a poll. The first call on a restored copy records the time of the restore. */
  async mark(): Promise<RestoredMark | undefined> {
    const mark = await this.remembered();
    if (mark === undefined || mark.restoredAt <= this.now()) return mark;
    // The clock was fast when the mark was written, or it is slow now. `read` decides which, and may correct the mark.
    this.known = undefined;
    return this.remembered();
  }

  private remembered(): Promise<RestoredMark | undefined> {
    this.known ??= this.read().catch((error: unknown) => {
      this.known = undefined;
      throw error;
    });
    return this.known;
  }

  private async read(): Promise<RestoredMark | undefined> {
    const found = await copyMark.read(this.storage);
    if (found === undefined) return undefined;
    const now = this.now();
    const { copiedAt, restoredAt } = found;
    // If both times are in the future, this machine's clock is probably slow, so the mark stays.
    if (restoredAt !== undefined && (restoredAt <= now || copiedAt > now)) return { copiedAt, restoredAt };
    const mark = { copiedAt: notInFuture(copiedAt, now), restoredAt: now };
    await copyMark.write(this.storage, mark);
    return mark;
  }

  /**
   * The earliest time (epoch ms) at which messages about an order may have been posted without a record. Undefined if this is
   * impossible.
   *
   * @param isFirstRound true until the poller's memory has all pages of the list (`ListMemory.isComplete`)
   */
  async sinceOfOrder({ createdAt }: Pick<Order, "createdAt">, isFirstRound: boolean): Promise<number | undefined> {
    const mark = await this.mark();
    if (mark === undefined) return undefined;
    const isOlder = createdAt !== undefined && createdAt < mark.restoredAt;
    const mayBeOlder = isFirstRound && this.now() < mark.restoredAt + doubtAfterRestoreMs;
    return isOlder || mayBeOlder ? mark.copiedAt : undefined;
  }

  /** Returns a function that does the same as `sinceOfOrder`, for the message of a stored row (see `Planning`). */
  async sinceOfRow(): Promise<Planning["sinceOf"]> {
    const mark = await this.mark();
    return ({ foundAt, since }) => {
      if (mark === undefined || foundAt >= mark.restoredAt) return since;
      return Math.min(since ?? mark.copiedAt, mark.copiedAt);
    };
  }

  /** Another process may have restored the storage. */
  forgetMemory() {
    this.known = undefined;
  }
}
