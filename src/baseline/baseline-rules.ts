// The baseline: orders that were in the store's lists before alerts were turned on, a rule was made or another store was
// connected. The bot treats them as seen, and posts nothing about them.
import { z } from "zod";
import { listsOf, type Statuses } from "../orders/list-memory.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";

const listSchema = z.object({
  statuses: z.array(z.string()).readonly(),
  /** Since when these statuses cause alerts or messages by rules (epoch ms by the store's clock). */
  since: z.number(),
  page: z.int(),
  /** Passes 1 and 3 read forwards from page 1, passes 2 and 4 read backwards. */
  pass: z.int(),
  /** False if this pass has left out a page, or has found an order that was unknown before. */
  clean: z.boolean(),
  done: z.boolean(),
  /** Number of orders treated as seen so far. */
  counted: z.number(),
});

export type ListBaseline = Readonly<z.infer<typeof listSchema>>;

const readingSchema = z.object({
  lists: z.array(listSchema).readonly(),
  /**
   * Orders that were unpaid when alerts were turned on. Set only if unpaid orders cause no alert. When such an order is paid,
   * it counts as new.
   */
  unpaid: z.array(z.string()).readonly().optional(),
});

/** The lists are read one after another. */
export type BaselineState = Readonly<z.infer<typeof readingSchema>>;

/** Version 1.0.0 stored one state for all lists. An unfinished reading of that version starts over. */
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
const mostPages = 20_000;
/** The reading of a list ends after this many orders were treated as seen. Their rows take some 150 MB. */
const mostCounted = 500_000;
/** An order without a creation time counts as old in passes 1 and 2, and as new after them. */
const timelessPasses = 2;

export const newListBaseline = (statuses: Statuses, since: number): ListBaseline => ({
  statuses,
  since,
  page: 1,
  pass: 1,
  clean: true,
  done: false,
  counted: 0,
});

export const countedIn = ({ lists }: BaselineState): number => lists.reduce((sum, { counted }) => sum + counted, 0);

export const isDone = ({ lists }: BaselineState): boolean => lists.every(({ done }) => done);

/** Whether the order belongs to the baseline of a list that is still being read. False for `unpaid` orders. */
export function isOfBaseline(
  order: Pick<Order, "id" | "createdAt" | "status">,
  { lists, unpaid = [] }: BaselineState,
): boolean {
  const list = lists.find(({ statuses }) => hasStatus(order, statuses));
  if (list === undefined || list.done || unpaid.includes(order.id)) return false;
  return order.createdAt === undefined ? list.pass <= timelessPasses : order.createdAt < list.since;
}

/**
 * The state after orders of the page `list.page` were treated as seen.
 *
 * @param lastPage undefined while some orders of the page are not treated yet. Then the state stays at this page
 * @param unknown how many of the treated orders were unknown before
 */
export function afterPage(
  state: BaselineState,
  list: ListBaseline,
  lastPage: number | undefined,
  unknown: number,
): BaselineState {
  const read = { ...list, clean: list.clean && unknown === 0, counted: list.counted + unknown };
  const next = lastPage === undefined ? read : advance(read, Math.min(lastPage, mostPages));
  return { ...state, lists: state.lists.map((one) => (one === list ? next : one)) };
}

/** After this many consecutive failures, `passOver` may leave out a page. */
const failuresOfPage = 6;

/**
 * The state for the next attempt. After many failures of a page, every second attempt requests the next page of the pass. If
 * the store answers, the pass leaves out the failing page. Only passes 1 and 2 leave out pages, and never page 1. These passes
 * must come to an end, because new orders without a creation time are alerted only after them.
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
  const isEnd = goesBack ? list.page === 1 : list.page >= lastPage;
  if (!isEnd) return { ...list, page: goesBack ? Math.min(list.page - 1, lastPage) : list.page + 1 };
  // A forward pass can miss an order when another order leaves the list, and a backward pass when another order arrives.
  const isWhole = list.page === 1 && lastPage === 1 && list.pass === 1;
  if (isWhole || (list.clean && list.pass > 1) || list.pass === mostPasses) return { ...list, done: true };
  return { ...list, pass: list.pass + 1, page: goesBack ? 1 : lastPage, clean: true };
}
