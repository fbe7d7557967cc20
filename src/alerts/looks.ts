import { isClosed } from "../store-api/order-status.ts";
import { hasStatus } from "../store-api/orders.ts";
import type { Chance } from "./backoff.ts";
import type { Ledger } from "./ledger.ts";

/** Each look is a request to the store. Of 5,000 orders that are followed, each is looked at every 21 hours. */
const betweenLooksMs = 15_000;
/** Where polls are rarer: as many looks as an hour has. */
const mostAtOnce = 240;
/** Parts of the list of followed orders that are read for one look: 50 orders each. */
const mostParts = 5;
/** After a whole round without anything to look at. Another process may have added something since. */
const restMs = 60 * 60_000;

interface LooksDeps extends Pick<Chance, "monotonic"> {
  readonly ledger: Pick<Ledger, "entries" | "followedBefore">;
}

/**
 * Says which orders to look at again: those that are followed and that no polled list shows any more. It goes round and
 * round, the newest alerts first. What is lost with the process is the place in the round.
 */
export class Looks {
  private readonly deps: LooksDeps;
  /** Of the part that was read last, those that are still to be looked at. */
  private next: string[] = [];
  private part = Number.POSITIVE_INFINITY;
  private isWorthIt = false;
  private dueAt = Number.NEGATIVE_INFINITY;

  constructor(deps: LooksDeps) {
    this.deps = deps;
  }

  /** There is something to look at from now on. */
  wake() {
    this.isWorthIt = true;
    this.dueAt = Math.min(this.dueAt, this.deps.monotonic() + betweenLooksMs);
  }

  /**
   * Ids of orders to be looked at now: one for each 15 s that have passed. Throws `StorageError`.
   *
   * @param polled the statuses whose orders are in the lists that are polled
   */
  async due(polled: readonly string[]): Promise<string[]> {
    const now = this.deps.monotonic();
    if (now < this.dueAt) return [];
    const lateMs = Number.isFinite(this.dueAt) ? now - this.dueAt : 0;
    const count = Math.min(1 + Math.floor(lateMs / betweenLooksMs), mostAtOnce);
    this.dueAt = now + betweenLooksMs - (lateMs % betweenLooksMs);
    const found = new Set<string>();
    for (let parts = 0; found.size < count && parts < mostParts && this.dueAt < now + restMs; ) {
      const id = this.next.shift();
      if (id === undefined) {
        await this.readOn(polled, now);
        parts++;
      } else if (found.has(id)) break;
      else found.add(id);
    }
    return [...found];
  }

  private async readOn(polled: readonly string[], now: number) {
    const { ledger } = this.deps;
    const part = await ledger.followedBefore(this.part);
    const known = await ledger.entries(part?.ids ?? []);
    this.next = [...known].flatMap(([id, entry]) =>
      entry.state === "posted" && !hasStatus(entry.order, polled) && !isClosed(entry.order.status) ? [id] : [],
    );
    const isRoundOver = part === undefined || part.number >= this.part;
    if (isRoundOver && !this.isWorthIt && this.next.length === 0) this.dueAt = now + restMs;
    this.isWorthIt = this.next.length > 0 || (this.isWorthIt && !isRoundOver);
    this.part = part?.number ?? Number.POSITIVE_INFINITY;
  }
}
