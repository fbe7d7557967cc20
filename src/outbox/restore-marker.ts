import { type CopyMark, copyMark, longestBaselineMs, notInFuture } from "../storage/data-record.ts";
import type { Storage } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";

type RestoredMark = CopyMark & { readonly restoredAt: number };

/**
 * What may have been sent after a backup was made that this storage was restored from: its ledger knows nothing of that.
 * One for all servers. Throws `StorageError`. A storage that came back by other means, which does not say so, is the
 * matter of the person who brought it back.
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
    // The clock was fast, and was set meanwhile.
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
    // A clock that is behind the copy, too, is itself the one that is wrong.
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
   * For a new order: from when on (epoch ms) an alert of it may stand in the channel; undefined where none can.
   *
   * @param isFirstRound the list has not been read whole since its memory was lost
   */
  async sentSince({ createdAt }: Pick<Order, "createdAt">, isFirstRound: boolean): Promise<number | undefined> {
    const mark = await this.mark();
    if (mark === undefined) return undefined;
    const isOlder = createdAt !== undefined && createdAt < mark.restoredAt;
    const mayBeOlder = isFirstRound && this.now() < mark.restoredAt + longestBaselineMs;
    return isOlder || mayBeOlder ? mark.copiedAt : undefined;
  }

  /** From when on the messages of something found at a time may have been sent (both epoch ms); undefined where it was not. */
  async sentAfter(): Promise<(foundAt: number) => number | undefined> {
    const mark = await this.mark();
    return (foundAt) => (mark !== undefined && foundAt < mark.restoredAt ? mark.copiedAt : undefined);
  }

  /** The storage may have been restored meanwhile. */
  forgetMemory() {
    this.known = undefined;
  }
}
