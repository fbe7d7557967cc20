// The baseline: orders that were in the store's lists before alerts began. They are never posted; they are read only to be
// treated as already seen. The reader is baseline/baseline-reader.ts. Messages that wait to be posted are in the outbox
// (outbox-row.ts).
import { z } from "zod";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page } from "../store-api/store-api.ts";

export const baselineSchema = z.object({
  /** The statuses that began to cause alerts, and when the first of them began (epoch ms by the store's clock). */
  statuses: z.array(z.string()).readonly(),
  since: z.number(),
  /** When each status began, if they did not begin together. If a status is listed several times, the first entry counts. */
  beginnings: z
    .array(z.object({ statuses: z.array(z.string()).readonly(), since: z.number() }).readonly())
    .readonly()
    .optional(),
  /** The page that is read next. */
  page: z.int(),
  /** Number of the pass over all pages, from 1. Odd passes read forwards from page 1, even passes read backwards. */
  pass: z.int(),
  /** Whether this pass has found no unknown order so far. */
  clean: z.boolean(),
  done: z.boolean(),
  /** Number of orders treated as already seen. */
  counted: z.number(),
  /** Number of the last page, according to the page that was read last. */
  lastPage: z.int().optional(),
  /** Index of the list that is being read (from 0), and the number of lists: one per status. */
  list: z.int().optional(),
  lists: z.int().optional(),
  /**
   * Set if only paid orders are alerted: ids of orders that were unpaid when the reading began. They count as new when they are
   * paid.
   */
  unpaid: z.array(z.string()).readonly().optional(),
  /** Pages that could not be read. They are tried again after the passes, and the reading is not done before they were read. */
  skipped: z.array(z.int()).readonly().optional(),
});

/** How far the baseline has been read. The caller stores this state. */
export type BaselineState = Readonly<z.infer<typeof baselineSchema>>;

const mostPasses = 4;
/** Maximum number of pages per pass, and of orders treated as seen. Up to these limits, a store can make the bot write some 150 MB. */
const mostPages = 20_000;
const mostCounted = 500_000;
/** An order without a creation time counts as old only in the first pass forwards and in the first pass backwards. */
const timelessPasses = 2;

/** The part of the state that separates old orders from new ones while the baseline is being read. */
export type BaselineMark = Pick<BaselineState, "since" | "statuses" | "pass" | "beginnings" | "unpaid">;

/** Statuses that began to cause alerts at the same time (epoch ms by the store's clock). */
export type Beginning = Pick<BaselineState, "statuses" | "since">;

/** Whether an order existed before alerts began. */
export function isOfBaseline(
  order: Pick<Order, "id" | "createdAt" | "status">,
  { since, statuses, pass, beginnings = [], unpaid = [] }: BaselineMark,
): boolean {
  if (!hasStatus(order, statuses) || unpaid.includes(order.id)) return false;
  if (order.createdAt === undefined) return pass <= timelessPasses;
  const own = beginnings.find((beginning) => hasStatus(order, beginning.statuses));
  return order.createdAt < (own?.since ?? since);
}

/** Returns the statuses of a baseline, grouped by the time when they began to cause alerts. */
export const beginningsOf = ({ beginnings, statuses, since }: BaselineMark): readonly Beginning[] =>
  beginnings ?? [{ statuses, since }];

/** Returns the state of a baseline before its first page is read. */
export function newBaseline(
  beginnings: readonly Beginning[],
  { unpaid }: Pick<BaselineMark, "unpaid"> = {},
): BaselineState {
  const statuses = [...new Set(beginnings.flatMap((beginning) => beginning.statuses))];
  const since = Math.min(...beginnings.map((beginning) => beginning.since));
  const begun = { statuses, since, page: 1, pass: 1, clean: true, done: false, counted: 0, ...(unpaid && { unpaid }) };
  return beginnings.length > 1 ? { ...begun, beginnings } : begun;
}

/**
 * Treats the old orders of one page as already seen, so that they are never alerted. Orders created after alerts began are left
 * to `scan`.
 * Pages shift while they are read. So they are read forwards and backwards, until a pass finds no unknown order, at most 4
 * times. Only an order that is shifted past the reader in both directions, or in all 4 passes, stays unseen.
 *
 * Rejects with errors of `takeAsSeen`. The caller then keeps the old state and tries again.
 */
export async function takeBaselinePage(input: {
  readonly state: BaselineState;
  /** The page that the state names, requested with the status filter. */
  readonly page: Page<Order>;
  /** Treats these orders as already seen. They are stored when the promise resolves. Returns how many of them were unknown. */
  takeAsSeen(orders: readonly Order[]): Promise<number>;
}): Promise<BaselineState> {
  const { state, page } = input;
  const old = page.items.filter((order) => isOfBaseline(order, state));
  const unknown = old.length > 0 ? await input.takeAsSeen(old) : 0;
  const { lastPage } = page;
  const read = {
    ...state,
    lastPage,
    clean: state.clean && unknown === 0,
    counted: state.counted + unknown,
    skipped: (state.skipped ?? []).filter((number) => number !== state.page),
  };
  return advance(read, lastPage);
}

/** Returns the state after a page that cannot be read. */
export function skipBaselinePage(state: BaselineState): BaselineState {
  const skipped = [...(state.skipped ?? []).filter((page) => page !== state.page), state.page];
  return advance({ ...state, skipped, clean: false }, state.lastPage ?? state.page + 1);
}

/** Whether all passes are over and only pages that could not be read are left. */
export const isTail = ({ pass }: BaselineState): boolean => pass > mostPasses;

function advance(state: BaselineState, lastPage: number): BaselineState {
  if (state.counted >= mostCounted) return { ...state, done: true };
  if (isTail(state)) return endPass(state);
  const goesBack = state.pass % 2 === 0;
  const isEnd = goesBack ? state.page === 1 : state.page >= Math.min(lastPage, mostPages);
  if (!isEnd) return { ...state, page: goesBack ? Math.min(state.page - 1, lastPage) : state.page + 1 };
  // Orders that leave the list can hide other orders from a pass forwards, and new orders from a pass backwards. So both passes
  // are needed, unless there is only one page.
  const isWhole = state.page === 1 && lastPage === 1 && state.pass === 1;
  if (isWhole || (state.clean && state.pass > 1) || state.pass === mostPasses) return endPass(state);
  return { ...state, pass: state.pass + 1, page: goesBack ? 1 : lastPage, clean: true };
}

/** Returns the state after the passes over one list: first its failed pages are read, then the next list. */
function endPass(state: BaselineState): BaselineState {
  const { list = 0, lists = 1, counted, skipped: [page, ...others] = [] } = state;
  if (page !== undefined) return { ...state, pass: mostPasses + 1, page, skipped: [page, ...others] };
  if (list + 1 >= lists) return { ...state, done: true };
  return { ...newBaseline(beginningsOf(state), state), counted, list: list + 1, lists };
}
