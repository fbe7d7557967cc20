import { Backoff, type Chance } from "../basics/limits/backoff.ts";
import type { OutboxRow } from "../orders/outbox-row.ts";

interface Known {
  /** Discord refused a message that this row shared with others. */
  readonly isAlone?: boolean;
  readonly wait?: Backoff;
}

/** What this process learned about rows of one outbox. If it is lost, no message is lost or posted twice. */
export class RowMemory {
  /**
   * Rows whose message a search did not find. The result counts until its signal is aborted (`stop` of `Current`), because the
   * server's record decides which channels are searched. Each attempt replaces its rows by new objects, which are not in this
   * map.
   */
  readonly notFound = new WeakMap<OutboxRow, AbortSignal>();
  private readonly known = new Map<string, Known>();
  private readonly chance: Chance;

  constructor(chance: Chance) {
    this.chance = chance;
  }

  of(key: string): Readonly<Known> {
    return this.known.get(key) ?? {};
  }

  waitMs(key: string): number {
    return this.of(key).wait?.waitMs() ?? 0;
  }

  note(key: string, what: Known) {
    this.known.set(key, { ...this.known.get(key), ...what });
  }

  /** These rows share one wait, so that they stay in one message. `wishedMs` is as in `Backoff.failed`. */
  failed(keys: readonly string[], wishedMs?: number) {
    const [first] = keys;
    if (first === undefined) return;
    const { wait = new Backoff(this.chance) } = this.of(first);
    wait.failed(wishedMs);
    for (const key of keys) this.note(key, { wait });
  }

  atMost(ms: number) {
    for (const { wait } of this.known.values()) wait?.atMost(ms);
  }

  keep(keys: { has(key: string): boolean }) {
    for (const key of this.known.keys()) if (!keys.has(key)) this.known.delete(key);
  }

  clear() {
    this.known.clear();
  }
}
