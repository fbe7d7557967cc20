import type { OrderPage } from "../store-api/list-pages.ts";
import type { Order } from "../store-api/schemas.ts";

/** The statuses that one query asks for. They identify a list. */
export type Statuses = readonly string[];

/**
 * One list for each status. The API document allows several statuses in one query. But a store that does not support this may
 * answer with an empty list, and its orders would be missed.
 */
export const listsOf = (statuses: Statuses): readonly Statuses[] =>
  statuses.length < 2 ? [statuses] : statuses.map((status) => [status]);

/**
 * How orders are sorted by creation time. Orders without a time are ignored. Undefined if the orders are not sorted, or all
 * times are equal.
 */
export function sortingOf(items: readonly Pick<Order, "createdAt">[]): "newest_first" | "oldest_first" | undefined {
  const times = items.flatMap(({ createdAt }) => createdAt ?? []);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
  if (steps.every((step) => step === 0)) return undefined;
  if (steps.every((step) => step <= 0)) return "newest_first";
  return steps.every((step) => step >= 0) ? "oldest_first" : undefined;
}

interface PageMemory extends Pick<OrderPage, "fingerprint" | "lastPage" | "mayHaveMore"> {
  /** The `idHash` of each alerted order on the page. */
  readonly alerted: readonly number[];
}

/** At most this many pages of a list are remembered (100 orders each). Later pages are parsed each time they are read. */
const mostPages = 1_000;

/** Memory of one list between two polls. If it is lost, no alert is lost or sent twice. 100 alerted orders need some 1 kB. */
export class ListMemory {
  readonly statuses: Statuses;
  /** The middle page that is read next: 2, 3, … last page, then 2 again. */
  next = 2;
  lastPage = 1;
  /** The latest creation time on any page of earlier polls (epoch ms). */
  newest = Number.NEGATIVE_INFINITY;
  /** Pages of a run (neighbouring pages with new orders) that were not recorded yet. The next poll reads some of them. */
  readonly resume = new Set<number>();
  readonly pages = new Map<number, PageMemory>();
  /** The `idHash` of each alerted order that vanished from its page and was not seen on another page. */
  readonly gone = new Set<number>();
  /** Whether every page was read, and all alerted orders were then compared with the pages. */
  wasCompared = false;

  constructor(statuses: Statuses) {
    this.statuses = statuses;
  }

  /** Whether all pages (or the first 1,000) were read. If so, an alerted order that is on none of them counts as gone. */
  get isComplete(): boolean {
    return this.pages.size >= Math.min(this.lastPage, mostPages);
  }

  /** Must be called only after everything that the page shows was recorded. */
  remember(number: number, page: Omit<PageMemory, "alerted">, alerted: readonly number[]) {
    const { fingerprint, lastPage, mayHaveMore } = page;
    this.forget(number);
    this.resume.delete(number);
    for (const order of alerted) this.gone.delete(order);
    if (number <= mostPages) this.pages.set(number, { fingerprint, lastPage, mayHaveMore, alerted });
  }

  private forget(number: number) {
    for (const order of this.pages.get(number)?.alerted ?? []) this.gone.add(order);
    this.pages.delete(number);
  }

  /** Forgets the pages after `lastPage`. Removes from `gone` the orders that are on another page now. */
  settle() {
    for (const number of this.pages.keys()) if (number > this.lastPage) this.forget(number);
    if (this.gone.size === 0) return;
    for (const order of this.alerted()) this.gone.delete(order);
  }

  /** The `idHash` of each alerted order on the pages. */
  alerted(): Set<number> {
    return new Set([...this.pages.values()].flatMap(({ alerted }) => alerted));
  }
}

export class Lists {
  private readonly memories = new Map<string, ListMemory>();

  of(statuses: Statuses): readonly ListMemory[] {
    return listsOf(statuses).map((list) => {
      const memory = this.memories.get(list.join()) ?? new ListMemory(list);
      this.memories.set(list.join(), memory);
      return memory;
    });
  }

  get areComplete(): boolean {
    return this.memories.size > 0 && [...this.memories.values()].every(({ isComplete }) => isComplete);
  }

  alerted(): Set<number> {
    return new Set([...this.memories.values()].flatMap((memory) => [...memory.alerted()]));
  }

  /** Called when the server's record may name another store or other statuses. */
  clear() {
    this.memories.clear();
  }
}
