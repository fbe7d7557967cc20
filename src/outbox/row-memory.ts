import { Backoff, type Chance } from "../basics/backoff.ts";

interface Known {
  /** It stands in no channel, for all that was found there. */
  isNotSent?: boolean;
  /** Discord refused it together with others. */
  isAlone?: boolean;
  /** Its message cannot be made yet, or Discord refuses it in every form. */
  wait?: Backoff;
}

/** What this process has learned of rows of an outbox, by their keys. Losing it loses and doubles nothing. */
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

  isNotSent(key: string): boolean {
    return this.known.get(key)?.isNotSent === true;
  }

  isAlone(key: string): boolean {
    return this.known.get(key)?.isAlone === true;
  }

  /** Milliseconds for which it is left alone. */
  waitMs(key: string): number {
    return this.known.get(key)?.wait?.waitMs() ?? 0;
  }

  /** It was looked for, and not found. */
  missing(key: string) {
    this.of(key).isNotSent = true;
  }

  /** It is about to be sent: where it stands is not known any more. */
  sending(key: string) {
    const known = this.known.get(key);
    if (known) known.isNotSent = false;
  }

  refusedTogether(key: string) {
    this.of(key).isAlone = true;
  }

  /** It is left alone for a while; `wishedMs` as for a {@link Backoff}. */
  failed(key: string, wishedMs?: number) {
    const known = this.of(key);
    known.wait ??= new Backoff(this.chance);
    known.wait.failed(wishedMs);
  }

  /** Forgets all other rows: they have gone. */
  keep(keys: { has(key: string): boolean }) {
    for (const key of this.known.keys()) if (!keys.has(key)) this.known.delete(key);
  }

  clear() {
    this.known.clear();
  }
}
