import { type ListMemory, newListMemory } from "./list-memory.ts";

/** Statuses that one query asks for. */
export type Statuses = readonly string[];

/**
 * The lists that together show every order of these statuses: one for each. The document allows several statuses in one
 * query, but an API that takes one only may answer with nothing, and then nothing shows that orders are missing.
 */
export const listsOf = (statuses: Statuses): readonly Statuses[] =>
  statuses.length < 2 ? [statuses] : statuses.map((status) => [status]);

/** What is remembered of one server's lists. All of it may be lost. */
export class Lists {
  private readonly memories = new Map<string, ListMemory>();
  /** How often in a row page 1 of a list failed. */
  private readonly failures = new Map<string, number>();

  /** The lists to read, those that failed last time after the others: they may take long to fail again. */
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

  /** To be called when all that a list showed is recorded. */
  remember(list: Statuses, memory: ListMemory) {
    this.failures.delete(list.join());
    this.memories.set(list.join(), memory);
  }

  failed(list: Statuses) {
    this.failures.set(list.join(), (this.failures.get(list.join()) ?? 0) + 1);
  }

  /** Whether page 1 of none of them could be read: the store is down. */
  haveAllFailed(lists: readonly Statuses[]): boolean {
    return lists.every((list) => this.failures.has(list.join()));
  }

  clear() {
    this.memories.clear();
  }
}
