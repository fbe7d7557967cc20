import { type CopyMark, copyMark, doubtAfterRestoreMs, notInFuture } from "../storage/data-record.ts";
import type { Storage } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";

type RestoredMark = CopyMark & { readonly restoredAt: number };

/**
 * Remembers that this storage was restored from a copy. The copy mark says when the copy was made, and when it was restored.
 * The copy does not record the messages that were sent between the two times, so posted-before.ts searches for them.
 *
 * Copies made by this project's programs have a mark, and `npm run restore` marks a file that was copied by hand. These copies
 * have no mark: those of `pg_dump` and `BGSAVE`, and a file copied by hand and put in place without `npm run restore`.
 *
 * Every method except `forgetMemory` throws `StorageError`.
 */
export class RestoreMarker {
  private readonly storage: Storage;
  private readonly now: () => number;
  private known: Promise<RestoredMark | undefined> | undefined;

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  /** Must be called before a poll. The first call on a restored copy records the current time as the time of the restore. */
  async mark(): Promise<RestoredMark | undefined> {
    const mark = await this.remembered();
    if (mark === undefined || mark.restoredAt <= this.now()) return mark;
    // The mark is in the future, because the clock was fast when the mark was written. The next read corrects the mark.
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
    // If both times are in the future, this machine's clock is slow, and the mark is right.
    if (restoredAt !== undefined && (restoredAt <= now || copiedAt > now)) return { copiedAt, restoredAt };
    const mark = { copiedAt: notInFuture(copiedAt, now), restoredAt: now };
    await copyMark.write(this.storage, mark);
    return mark;
  }

  /**
   * Returns since when (epoch ms) the alert of a new order may have been posted, or undefined if it certainly was not.
   *
   * @param isFirstRound true until the poller has read the whole list once. True again after the poller lost its memory of
   * lists
   */
  async sentSince({ createdAt }: Pick<Order, "createdAt">, isFirstRound: boolean): Promise<number | undefined> {
    const mark = await this.mark();
    if (mark === undefined) return undefined;
    const isOlder = createdAt !== undefined && createdAt < mark.restoredAt;
    const mayBeOlder = isFirstRound && this.now() < mark.restoredAt + doubtAfterRestoreMs;
    return isOlder || mayBeOlder ? mark.copiedAt : undefined;
  }

  /**
   * Returns a function for rows of the outbox. `foundAt` is when a row was recorded. The function returns since when the row's
   * message may have been posted without a record of it. Undefined if the restore gives no reason for doubt. All times are
   * epoch ms.
   */
  async sentAfter(): Promise<(foundAt: number) => number | undefined> {
    const mark = await this.mark();
    return (foundAt) => (mark !== undefined && foundAt < mark.restoredAt ? mark.copiedAt : undefined);
  }

  /** Must be called when another process may have restored the storage. */
  forgetMemory() {
    this.known = undefined;
  }
}
