import { type CopyMark, copyMark, longestBaselineMs, notInFuture } from "../storage/data-record.ts";
import type { Storage } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";

type RestoredMark = CopyMark & { readonly restoredAt: number };

/**
 * When the copy was made that this storage was restored from, and when it was restored. Messages that were sent between the two
 * are not in the ledger. One for all servers. Every method throws `StorageError`. A storage that was restored by other means is
 * not marked, so it is not recognised.
 */
export class RestoreMarker {
  private readonly storage: Storage;
  private readonly now: () => number;
  private known: Promise<RestoredMark | undefined> | undefined;

  constructor(storage: Storage, now: () => number) {
    this.storage = storage;
    this.now = now;
  }

  private async mark(): Promise<RestoredMark | undefined> {
    const mark = await this.remembered();
    if (mark === undefined || mark.restoredAt <= this.now()) return mark;
    // The clock was fast when the mark was written, and is right now.
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
    // If the clock is behind the copy, too, the clock is wrong and not the mark.
    if (restoredAt !== undefined && (restoredAt <= now || copiedAt > now)) return { copiedAt, restoredAt };
    const mark = { copiedAt: notInFuture(copiedAt, now), restoredAt: now };
    await copyMark.write(this.storage, mark);
    return mark;
  }

  /** To be called before a poll. The first call on a restored copy records the time, as the time of the restore. */
  async note(): Promise<void> {
    await this.mark();
  }

  /**
   * For a new order: since when (epoch ms) its alert may have been posted; undefined if it was certainly not.
   *
   * @param isFirstRound the list has not been read completely since its memory was lost
   */
  async sentSince({ createdAt }: Pick<Order, "createdAt">, isFirstRound: boolean): Promise<number | undefined> {
    const mark = await this.mark();
    if (mark === undefined) return undefined;
    const isOlder = createdAt !== undefined && createdAt < mark.restoredAt;
    const mayBeOlder = isFirstRound && this.now() < mark.restoredAt + longestBaselineMs;
    return isOlder || mayBeOlder ? mark.copiedAt : undefined;
  }

  /** For rows by the time they were recorded: since when their messages may have been posted; undefined if they were certainly not. All epoch ms. */
  async sentAfter(): Promise<(foundAt: number) => number | undefined> {
    const mark = await this.mark();
    return (foundAt) => (mark !== undefined && foundAt < mark.restoredAt ? mark.copiedAt : undefined);
  }

  /** To be called when another process may have restored the storage. */
  forgetMemory() {
    this.known = undefined;
  }
}
