import { takesSeveral } from "../store-api/several-statuses.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { type ListMemory, newListMemory } from "./list-memory.ts";

/** Statuses that one query asks for. */
export type Statuses = readonly string[];

/** How often an API that has not shown whether it takes several statuses is asked for it. */
const severalAskedEveryMs = 60 * 60_000;

/**
 * The lists that together show every order of these statuses: one query for all, or one for each where the API was not
 * seen to take several at once.
 */
export function listsOf(store: Store, statuses: Statuses): readonly Statuses[] {
  // An API that was seen to ignore the filter may yet heed it, and answer nothing to two statuses: one at a time is safe.
  const isOneList = statuses.length < 2 || store.capabilities.of("several") === true;
  return isOneList ? [statuses] : statuses.map((status) => [status]);
}

/** What is remembered of one server's lists. All of it may be lost. */
export class Lists {
  private readonly monotonic: () => number;
  private readonly memories = new Map<string, ListMemory>();
  /** How often in a row page 1 of a list failed. */
  private readonly failures = new Map<string, number>();
  private severalAskedAt = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** The lists to read, those that failed last time after the others: they may take long to fail again. */
  async inTurn(store: Store, statuses: Statuses, signal: AbortSignal): Promise<readonly Statuses[]> {
    await this.askSeveral(store, statuses, signal);
    const lists = listsOf(store, statuses);
    const keys = new Set(lists.map((list) => list.join()));
    for (const known of [this.memories, this.failures]) {
      for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    }
    const failuresOf = (list: Statuses) => this.failures.get(list.join()) ?? 0;
    return lists.toSorted((one, other) => failuresOf(one) - failuresOf(other));
  }

  /** Has it shown whether several statuses may be asked for at once, as far as the API can be made to. */
  private async askSeveral(store: Store, statuses: Statuses, signal: AbortSignal) {
    const isKnown = statuses.length < 2 || store.capabilities.of("several") !== undefined;
    if (isKnown || this.monotonic() - this.severalAskedAt < severalAskedEveryMs) return;
    this.severalAskedAt = this.monotonic();
    await takesSeveral(store, statuses, signal).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
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

  /** What is remembered of each list, by its statuses. */
  get all(): ReadonlyMap<string, ListMemory> {
    return this.memories;
  }

  /** Goes on with what another process remembered. */
  adopt(memories: ReadonlyMap<string, ListMemory>) {
    this.memories.clear();
    for (const [key, memory] of memories) this.memories.set(key, memory);
  }
}
