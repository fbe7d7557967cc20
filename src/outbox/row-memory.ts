import { Backoff, type Chance } from "../basics/limits/backoff.ts";

interface Known {
  /** The last search did not find the row's message. False again when the next send begins. */
  readonly wasNotFound?: boolean;
  /** Discord refused this row in a shared message, so the row is sent alone. */
  readonly isAlone?: boolean;
  /** The wait after a failure of this row. */
  readonly wait?: Backoff;
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

  of(key: string): Readonly<Known> {
    return this.known.get(key) ?? {};
  }

  /** Milliseconds until the row may be tried again. */
  waitMs(key: string): number {
    return this.of(key).wait?.waitMs() ?? 0;
  }

  note(key: string, what: Known) {
    this.known.set(key, { ...this.known.get(key), ...what });
  }

  /**
   * Lets these rows wait before they are tried again. They share one wait, so that they stay in one message. `wishedMs` is as
   * in `Backoff.failed`.
   */
  failed(keys: readonly string[], wishedMs?: number) {
    const [first] = keys;
    if (first === undefined) return;
    const { wait = new Backoff(this.chance) } = this.of(first);
    wait.failed(wishedMs);
    for (const key of keys) this.note(key, { wait });
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
