import { ListMemory } from "./list-memory.ts";

/** The statuses that one query asks for. They identify a list. */
export type Statuses = readonly string[];

/**
 * Returns one list for each of these statuses.
 * The API document allows several statuses in one query. But a store that accepts only one may answer with an empty list, and
 * the bot could not notice that orders are missing.
 */
export const listsOf = (statuses: Statuses): readonly Statuses[] =>
  statuses.length < 2 ? [statuses] : statuses.map((status) => [status]);

/** One list, and what is remembered of it between two polls. */
export interface RememberedList {
  readonly statuses: Statuses;
  readonly memory: ListMemory;
}

/** Remembers the lists of one server between polls. If this memory is lost, the lists are read again. */
export class Lists {
  private readonly memories = new Map<string, ListMemory>();

  /**
   * Returns the lists in the sequence in which they are read. Lists whose page 1 failed in the last poll come last, because
   * they may take long to fail again.
   */
  inTurn(statuses: Statuses): readonly RememberedList[] {
    return listsOf(statuses)
      .map((list) => ({ statuses: list, memory: this.memory(list.join()) }))
      .toSorted((one, other) => Number(one.memory.isBroken) - Number(other.memory.isBroken));
  }

  private memory(key: string): ListMemory {
    const memory = this.memories.get(key) ?? new ListMemory();
    this.memories.set(key, memory);
    return memory;
  }

  /** Whether every page of every list was read. */
  get areComplete(): boolean {
    return [...this.memories.values()].every(({ isComplete }) => isComplete);
  }

  /** Returns the alerted orders in the lists, each as its `idHash`. */
  alerted(): Set<number> {
    return new Set([...this.memories.values()].flatMap((memory) => [...memory.alerted()]));
  }

  /** Must be called when the server's record changed. It may name another store or other statuses. */
  clear() {
    this.memories.clear();
  }
}
