import { type ListMemory, newListMemory } from "./list-memory.ts";

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
  /** How often page 1 failed in a row, by list. */
  private readonly failures = new Map<string, number>();

  /**
   * Returns the lists in the sequence in which they are read. Lists that failed last time come last, because they may take long
   * to fail again.
   */
  inTurn(statuses: Statuses): readonly Statuses[] {
    const lists = listsOf(statuses);
    const keys = new Set(lists.map((list) => list.join()));
    for (const known of [this.memories, this.failures]) {
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    }
    const failuresOf = (list: Statuses) => this.failures.get(list.join()) ?? 0;
    return lists.toSorted((one, other) => failuresOf(one) - failuresOf(other));
  }

  memory(list: Statuses): ListMemory {
    return this.memories.get(list.join()) ?? newListMemory();
  }

  /** Must be called only after every order that the list showed is recorded. */
  remember(list: Statuses, memory: ListMemory) {
    this.failures.delete(list.join());
    this.memories.set(list.join(), memory);
  }

  failed(list: Statuses) {
    this.failures.set(list.join(), (this.failures.get(list.join()) ?? 0) + 1);
  }

  /** Whether page 1 of every list failed. Then the store is down. */
  haveAllFailed(lists: readonly Statuses[]): boolean {
    return lists.every((list) => this.failures.has(list.join()));
  }

  clear() {
    this.memories.clear();
  }
}
