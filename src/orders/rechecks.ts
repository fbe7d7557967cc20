import type { Chance } from "../basics/backoff.ts";
import { hasStatus, isClosed } from "../store-api/order-status.ts";
import type { Ledger } from "./ledger.ts";

/** Each look is a request to the store. Of 5,000 orders that are followed, each is looked at every 21 hours. */
const betweenLooksMs = 15_000;
/** Where polls are rarer: as many looks as an hour has. */
const mostAtOnce = 240;
/** Orders whose rows are read for one look at most. */
const sliceSize = 250;
/** After a whole round without anything to look at. Another process may have added something since. */
const restMs = 60 * 60_000;

interface LooksDeps extends Pick<Chance, "monotonic"> {
  readonly ledger: Pick<Ledger, "entries" | "openIds">;
}

/**
 * Says which orders to look at again: those that are followed and that no polled list shows any more. It goes round and
 * round, the newest alerts first. What is lost with the process is the place in the round.
 */
export class Rechecks {
  private readonly deps: LooksDeps;
  /** Of the orders that were read last, those that are still to be looked at. */
  private next: string[] = [];
  /** So many of the oldest orders are left in the round. */
  private left = 0;
  /** Something of this round, or since it began, is to be looked at. */
  private isWorthIt = false;
  private dueAt = Number.NEGATIVE_INFINITY;
  /** The statuses that were polled at the last look. */
  private polled: string | undefined;

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
    // Orders in a status that is not polled any more are news to this.
    this.polled ??= polled.join();
    if (this.polled !== polled.join()) this.wake();
    this.polled = polled.join();
    if (now < this.dueAt) return [];
    const lateMs = Number.isFinite(this.dueAt) ? now - this.dueAt : 0;
    const count = Math.min(1 + Math.floor(lateMs / betweenLooksMs), mostAtOnce);
    this.dueAt = now + betweenLooksMs - (lateMs % betweenLooksMs);
    if (this.next.length < count) this.next.push(...(await this.readOn(polled, now)));
    return [...new Set(this.next.splice(0, count))];
  }

  private async readOn(polled: readonly string[], now: number): Promise<string[]> {
    const { ledger } = this.deps;
    const ids = await ledger.openIds();
    const end = this.left === 0 ? ids.length : Math.min(this.left, ids.length);
    this.left = Math.max(end - sliceSize, 0);
    const known = await ledger.entries(ids.slice(this.left, end).reverse());
    const next = [...known].flatMap(([id, row]) =>
      row.state === "open" && !hasStatus(row.facts, polled) && !isClosed(row.facts.status) ? [id] : [],
    );
    this.isWorthIt ||= next.length > 0;
    if (this.left > 0) return next;
    if (!this.isWorthIt) this.dueAt = now + restMs;
    this.isWorthIt = false;
    return next;
  }
}
