import { type ListMemory, newListMemory } from "./list-memory.ts";

/** Statuses that one query asks for. */
export type Statuses = readonly string[];

/**
 * The lists that together show every order of these statuses: one for each status. The API document allows several statuses in one
 * query. But an API that takes only one may answer with an empty list, and nothing would show that orders are missing.
 */
export const listsOf = (statuses: Statuses): readonly Statuses[] =>
  statuses.length < 2 ? [statuses] : statuses.map((status) => [status]);

/** The memory of one server's lists. It may be lost at any time. */
export class Lists {
  private readonly memories = new Map<string, ListMemory>();
  /** Failures of page 1 in a row, by list. */
  private readonly failures = new Map<string, number>();

  /** The lists to read. Those that failed last time come last, because they may take long to fail again. */
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

  /** Called when every order that the list showed is recorded. */
  remember(list: Statuses, memory: ListMemory) {
    this.failures.delete(list.join());
    this.memories.set(list.join(), memory);
  }

  failed(list: Statuses) {
    this.failures.set(list.join(), (this.failures.get(list.join()) ?? 0) + 1);
  }

  /** Whether page 1 of every list failed: the store is down. */
  haveAllFailed(lists: readonly Statuses[]): boolean {
    return lists.every((list) => this.failures.has(list.join()));
  }

  clear() {
    this.memories.clear();
  }
}
