import { Backoff, type Chance } from "../basics/backoff.ts";

/** A refused token is tried again: first after 32 to 64 s, and then ever more rarely, but at least so often. */
const longestRefusalMs = 15 * 60_000;
const refusalDoublings = 5;

/** How long one server's store is left alone, and why. */
export class StoreBackoff {
  /** The store does not answer. */
  readonly store: Backoff;
  /** It refuses the token, or nothing opens the token. */
  readonly token: Backoff;
  /** Pages beyond the first could not be read: the others still can. */
  readonly pages: Backoff;
  /** After failures of this process or its storage. */
  readonly fault: Backoff;

  constructor(chance: Chance) {
    this.store = new Backoff(chance);
    this.token = new Backoff(chance, longestRefusalMs, refusalDoublings);
    this.pages = new Backoff(chance);
    this.fault = new Backoff(chance);
  }

  /** Whether the store may be asked now. */
  isOver(): boolean {
    return this.store.waitMs() === 0 && this.token.waitMs() === 0;
  }

  /** The store answers, or its token was entered again. */
  storeRecovered() {
    this.store.ok();
    this.token.ok();
  }

  /** Milliseconds until what failed is to be tried again; Infinity where nothing did. */
  nextMs(): number {
    const { store, token, pages, fault } = this;
    if (fault.failures > 0) return fault.waitMs();
    const isDown = store.failures + token.failures > 0;
    const downMs = isDown ? Math.max(store.waitMs(), token.waitMs()) : Number.POSITIVE_INFINITY;
    return Math.min(downMs, pages.failures > 0 ? pages.waitMs() : Number.POSITIVE_INFINITY);
  }
}
