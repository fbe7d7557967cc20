import { Backoff, type Chance } from "../basics/limits/backoff.ts";

interface Known {
  /** The last search did not find the row's message. */
  wasNotFound?: boolean;
  /** Discord refused the row in a shared message, so it gets its own. */
  isAlone?: boolean;
  /** The wait of a row whose message cannot be made, got no clear answer, or is refused in every form. */
  wait?: Backoff;
}

/**
 * Remembers what this process learned about rows of one outbox, by their keys. If this memory is lost, no message is lost or
 * posted twice. Waits of channels are in channel-health.ts.
 */
export class RowMemory {
  private readonly known = new Map<string, Known>();
  private readonly chance: Chance;

  constructor(chance: Chance) {
    this.chance = chance;
  }

  private of(key: string): Known {
    const known = this.known.get(key) ?? {};
    this.known.set(key, known);
    return known;
  }

  wasNotFound(key: string): boolean {
    return this.known.get(key)?.wasNotFound === true;
  }

  isAlone(key: string): boolean {
    return this.known.get(key)?.isAlone === true;
  }

  /** Milliseconds until the row may be tried again. */
  waitMs(key: string): number {
    return this.known.get(key)?.wait?.waitMs() ?? 0;
  }

  /** Number of failures in a row. */
  failures(key: string): number {
    return this.known.get(key)?.wait?.failures ?? 0;
  }

  notFound(key: string) {
    this.of(key).wasNotFound = true;
  }

  /** Must be called before the row is sent: the result of an earlier search is not valid for this send. */
  forgetSearch(key: string) {
    const known = this.known.get(key);
    if (known) known.wasNotFound = false;
  }

  refusedTogether(keys: readonly string[]) {
    for (const key of keys) this.of(key).isAlone = true;
  }

  /**
   * Lets these rows wait before they are tried again. They share one wait, so that they stay in one message. `wishedMs` is the
   * same as in {@link Backoff}.
   */
  failed(keys: readonly string[], wishedMs?: number) {
    const [first] = keys;
    if (first === undefined) return;
    const wait = this.of(first).wait ?? new Backoff(this.chance);
    wait.failed(wishedMs);
    for (const key of keys) this.of(key).wait = wait;
  }

  /** Shortens all waits to at most `ms` from now. */
  atMost(ms: number) {
    for (const { wait } of this.known.values()) wait?.atMost(ms);
  }

  /** Forgets all rows except these. */
  keep(keys: { has(key: string): boolean }) {
    for (const key of this.known.keys()) if (!keys.has(key)) this.known.delete(key);
  }

  clear() {
    this.known.clear();
  }
}
