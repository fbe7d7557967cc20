import { ListMemory } from "./list-memory.ts";

/** The statuses that one query asks for. They identify a list. */
export type Statuses = readonly string[];

/**
 * Returns the lists that together show every order with these statuses: one list per status.
 * The API document allows several statuses in one query. But an API that takes only one may answer with an empty list, and
 * nothing would show that orders are missing.
 */
export const listsOf = (statuses: Statuses): readonly Statuses[] =>
  statuses.length < 2 ? [statuses] : statuses.map((status) => [status]);

/** Remembers the lists of one server between polls. If this memory is lost, the lists are read again. */
export class Lists {
  private readonly memories = new Map<string, ListMemory>();
  /** Lists whose page 1 failed in the last poll. */
  private readonly broken = new Set<string>();

  /** Returns the lists in the sequence in which they are read. Broken lists come last, because they may take long to fail again. */
  inTurn(statuses: Statuses): readonly Statuses[] {
    const isBroken = (list: Statuses) => Number(this.broken.has(list.join()));
    return listsOf(statuses).toSorted((one, other) => isBroken(one) - isBroken(other));
  }

  memory(list: Statuses): ListMemory {
    const memory = this.memories.get(list.join()) ?? new ListMemory();
    this.memories.set(list.join(), memory);
    return memory;
  }

  /** Records whether page 1 of the list could be read. */
  note(list: Statuses, isBroken: boolean) {
    if (isBroken) this.broken.add(list.join());
    else this.broken.delete(list.join());
  }

  /** Whether every page of every list was read. */
  get areComplete(): boolean {
    return [...this.memories.values()].every(({ isComplete }) => isComplete);
  }

  /** Returns the alerted orders in the lists, each as its `idHash`. */
  alerted(): Set<number> {
    return new Set([...this.memories.values()].flatMap((memory) => [...memory.alerted()]));
  }

  /** Must be called when the server's record changed, because the store or the statuses may have. */
  clear() {
    this.memories.clear();
    this.broken.clear();
  }
}
