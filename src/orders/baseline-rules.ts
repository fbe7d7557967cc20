// The baseline: orders that were in the store's lists before alerts began. They are never posted; they are read only to be
// treated as already seen. The reader is baseline/baseline-reader.ts.
import { z } from "zod";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page } from "../store-api/store-api.ts";
import { listsOf, type Statuses } from "./lists.ts";

const listSchema = z.object({
  /** The statuses of the list. They cause alerts or messages by rules since this time (epoch ms by the store's clock). */
  statuses: z.array(z.string()).readonly(),
  since: z.number(),
  /** The page that is read next. */
  page: z.int(),
  /** Number of the pass over all pages, from 1. Odd passes read forwards from page 1, even passes read backwards. */
  pass: z.int(),
  /** Whether this pass has found no unknown order so far. */
  clean: z.boolean(),
  done: z.boolean(),
  /** Number of orders treated as already seen. */
  counted: z.number(),
});

/** How far the baseline of one list has been read. */
export type ListBaseline = Readonly<z.infer<typeof listSchema>>;

const readingSchema = z.object({
  lists: z.array(listSchema).readonly(),
  /**
   * Set if only paid orders are alerted: ids of orders that were unpaid when the reading began. They count as new when they are
   * paid.
   */
  unpaid: z.array(z.string()).readonly().optional(),
});

/** How far the baseline has been read. The lists are read one after another. */
export type BaselineState = Readonly<z.infer<typeof readingSchema>>;

/** The state as 1.0.0 stored it: one for all lists. A reading that is not done begins again. */
const formerSchema = z
  .object({
    statuses: z.array(z.string()),
    since: z.number(),
    beginnings: z.array(z.object({ statuses: z.array(z.string()), since: z.number() })).default([]),
    done: z.boolean(),
    counted: z.number(),
    unpaid: z.array(z.string()).optional(),
  })
  .transform(({ statuses, since, beginnings, done, counted, unpaid }): BaselineState => {
    const beganAt = (status: string) => beginnings.find((one) => hasStatus({ status }, one.statuses))?.since ?? since;
    const lists = listsOf(statuses).map((list, index) => ({
      ...newListBaseline(list, Math.max(...list.map(beganAt))),
      done,
      counted: index === 0 ? counted : 0,
    }));
    return { lists, unpaid };
  });

export const baselineSchema: z.ZodType<BaselineState> = z.union([readingSchema, formerSchema]);

const mostPasses = 4;
/** Maximum number of pages per pass, and of orders treated as seen. Up to these limits, a store can make the bot write some 150 MB. */
const mostPages = 20_000;
const mostCounted = 500_000;
/** An order without a creation time counts as old only in the first pass forwards and in the first pass backwards. */
const timelessPasses = 2;

/** Returns the state of a list before its first page is read. */
export const newListBaseline = (statuses: Statuses, since: number): ListBaseline => ({
  statuses,
  since,
  page: 1,
  pass: 1,
  clean: true,
  done: false,
  counted: 0,
});

/** Number of orders treated as already seen. */
export const countedIn = ({ lists }: BaselineState): number => lists.reduce((sum, { counted }) => sum + counted, 0);

export const isDone = ({ lists }: BaselineState): boolean => lists.every(({ done }) => done);

/** Whether an order existed before alerts began, and belongs to a list that is still being read. */
export function isOfBaseline(
  order: Pick<Order, "id" | "createdAt" | "status">,
  { lists, unpaid = [] }: BaselineState,
): boolean {
  const list = lists.find(({ statuses }) => hasStatus(order, statuses));
  if (list === undefined || list.done || unpaid.includes(order.id)) return false;
  return order.createdAt === undefined ? list.pass <= timelessPasses : order.createdAt < list.since;
}

/**
 * Treats the old orders of one page as already seen, so that they are never alerted. Returns the new state. Orders created after
 * alerts began are left to the polls.
 * Pages shift while they are read. So they are read forwards and backwards, until a pass finds no unknown order, at most 4
 * times. Only an order that is shifted past the reader in both directions, or in all 4 passes, stays unseen.
 *
 * Rejects with errors of `takeAsSeen`. The caller then keeps the old state and tries again.
 */
export async function takeBaselinePage(input: {
  readonly state: BaselineState;
  /** The list that is being read. */
  readonly list: ListBaseline;
  /** The page that the list names, requested with its statuses. */
  readonly page: Page<Order>;
  /** Treats these orders as already seen. They are stored when the promise resolves. Returns how many of them were unknown. */
  takeAsSeen(orders: readonly Order[]): Promise<number>;
}): Promise<BaselineState> {
  const { state, list, page } = input;
  const old = page.items.filter((order) => isOfBaseline(order, state));
  const unknown = old.length > 0 ? await input.takeAsSeen(old) : 0;
  const read = { ...list, clean: list.clean && unknown === 0, counted: list.counted + unknown };
  const next = advance(read, page.lastPage);
  return { ...state, lists: state.lists.map((one) => (one === list ? next : one)) };
}

/** From this number of failures in a row on, every second attempt asks for the page after the failing one. */
const failuresOfPage = 6;

/**
 * Returns the state from which the next attempt reads, after this number of failures in a row. If a page fails but the page after it
 * can be read, the store is not down, and the pass leaves the failing page out. Otherwise a page that always fails would keep all new
 * orders without a creation time from being alerted. Later passes wait for the page, so that its old orders with a time stay old.
 */
export function passOver(state: BaselineState, failures: number): BaselineState {
  const failing = state.lists.find(({ done }) => !done);
  if (!failing || failures < failuresOfPage || failures % 2 === 1) return state;
  if (failing.page === 1 || failing.pass > timelessPasses) return state;
  const page = failing.page + (failing.pass % 2 === 0 ? -1 : 1);
  return { ...state, lists: state.lists.map((list) => (list === failing ? { ...list, page, clean: false } : list)) };
}

function advance(list: ListBaseline, lastPage: number): ListBaseline {
  if (list.counted >= mostCounted) return { ...list, done: true };
  const goesBack = list.pass % 2 === 0;
  const isEnd = goesBack ? list.page === 1 : list.page >= Math.min(lastPage, mostPages);
  if (!isEnd) return { ...list, page: goesBack ? Math.min(list.page - 1, lastPage) : list.page + 1 };
  // Orders that leave the list can hide other orders from a pass forwards, and new orders from a pass backwards. So both passes
  // are needed, unless there is only one page.
  const isWhole = list.page === 1 && lastPage === 1 && list.pass === 1;
  if (isWhole || (list.clean && list.pass > 1) || list.pass === mostPasses) return { ...list, done: true };
  return { ...list, pass: list.pass + 1, page: goesBack ? 1 : lastPage, clean: true };
}
