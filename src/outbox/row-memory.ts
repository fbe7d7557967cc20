import { Backoff, type Chance } from "../basics/backoff.ts";

interface Known {
  /** The last search did not find it. */
  wasNotFound?: boolean;
  /** Discord refused it in a shared message. */
  isAlone?: boolean;
  /** The wait of a row whose message cannot be made yet, or which Discord refuses in every form. */
  wait?: Backoff;
}

/** What this process has learned of rows of an outbox, by their keys. Without it no message is lost or posted twice. */
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

  /** A search did not find the row. */
  notFound(key: string) {
    this.of(key).wasNotFound = true;
  }

  /** To be called before the row is sent: the last search says nothing about this send. */
  forgetSearch(key: string) {
    const known = this.known.get(key);
    if (known) known.wasNotFound = false;
  }

  refusedTogether(key: string) {
    this.of(key).isAlone = true;
  }

  /** The row waits before it is tried again; `wishedMs` as for a {@link Backoff}. */
  failed(key: string, wishedMs?: number) {
    const known = this.of(key);
    known.wait ??= new Backoff(this.chance);
    known.wait.failed(wishedMs);
  }

  /** Forgets all rows but these. */
  keep(keys: { has(key: string): boolean }) {
    for (const key of this.known.keys()) if (!keys.has(key)) this.known.delete(key);
  }

  clear() {
    this.known.clear();
  }
}
