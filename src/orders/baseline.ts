// The baseline is what stood in the store's lists before alerts began. None of it is ever posted: it is read only to be taken
// as seen. What still has to be posted is in the outbox (outbox-row.ts).
import { z } from "zod";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page } from "../store-api/store-api.ts";

export const baselineSchema = z.object({
  /** The statuses that began to be alerted, and when, or the first of them: epoch ms by the store's clock. */
  statuses: z.array(z.string()).readonly(),
  since: z.number(),
  /** When each of them began, where it was not at once: of a status that is in several, the first one counts. */
  beginnings: z
    .array(z.object({ statuses: z.array(z.string()).readonly(), since: z.number() }).readonly())
    .readonly()
    .optional(),
  /** The page that is read next. */
  page: z.int(),
  /** Passes over all pages, from 1. Odd ones go from page 1 to the last, even ones back. */
  pass: z.int(),
  /** Whether this pass has found nothing to mark so far. */
  clean: z.boolean(),
  done: z.boolean(),
  /** Orders taken as seen. */
  counted: z.number(),
  /** The last page as the page read last told it. */
  lastPage: z.int().optional(),
  /** Which list is being read, from 0, of how many: an API that takes one status at a time has one for each. */
  list: z.int().optional(),
  lists: z.int().optional(),
  /** Orders that waited for their payment as the reading began, where only paid ones are alerted: what is paid since then is new. */
  unpaid: z.array(z.string()).readonly().optional(),
  /** Pages that could not be read. Each of them is tried again after the passes; until then nothing is done. */
  skipped: z.array(z.int()).readonly().optional(),
});

/** How far the first reading has come, to be kept by the caller. */
export type BaselineState = Readonly<z.infer<typeof baselineSchema>>;

const mostPasses = 4;
/** Pages of one pass, and orders taken as seen: what a store may write to the disk by this, some 150 MB. */
const mostPages = 20_000;
const mostCounted = 500_000;
/** Of an order that does not say when it came, only the ways there and back can say that it was there before. */
const timelessPasses = 2;

/** What tells an old order from a new one while a first reading is under way. */
export type BaselineMark = Pick<BaselineState, "since" | "statuses" | "pass" | "beginnings" | "unpaid">;

/** Statuses that began to be alerted at the same time, by the store's clock (epoch ms). */
export type Beginning = Pick<BaselineState, "statuses" | "since">;

/** Whether an order was there before alerts began. */
export function isOfBaseline(
  order: Pick<Order, "id" | "createdAt" | "status">,
  { since, statuses, pass, beginnings = [], unpaid = [] }: BaselineMark,
): boolean {
  if (!hasStatus(order, statuses) || unpaid.includes(order.id)) return false;
  if (order.createdAt === undefined) return pass <= timelessPasses;
  const own = beginnings.find((beginning) => hasStatus(order, beginning.statuses));
  return order.createdAt < (own?.since ?? since);
}

/** What began to be alerted in a baseline, and when. */
export const beginningsOf = ({ beginnings, statuses, since }: BaselineMark): readonly Beginning[] =>
  beginnings ?? [{ statuses, since }];

/** A baseline of which nothing has been read. */
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
 * Has a page of what was there before alerts were turned on taken as seen, so that it is never alerted. Orders
 * created since then are left to `scan`. Pages shift meanwhile, so they are read there and back, until a pass finds nothing
 * or 4 have been made: only an order that is shifted past the reader in both directions, or in all 4, stays unseen.
 *
 * Rejects with what `takeAsSeen` rejects with; the caller keeps the old state and tries again.
 */
export async function takeBaselinePage(input: {
  readonly state: BaselineState;
  /** The page that the state names, asked for with the status filter. */
  readonly page: Page<Order>;
  /** Takes these orders as seen, durably when it resolves. Gives how many of them were not known. */
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

/** Goes past a page that cannot be read. */
export function skipBaselinePage(state: BaselineState): BaselineState {
  const skipped = [...(state.skipped ?? []).filter((page) => page !== state.page), state.page];
  return advance({ ...state, skipped, clean: false }, state.lastPage ?? state.page + 1);
}

/** Whether nothing but pages that could not be read is left. */
export const isTail = ({ pass }: BaselineState): boolean => pass > mostPasses;

function advance(state: BaselineState, lastPage: number): BaselineState {
  if (state.counted >= mostCounted) return { ...state, done: true };
  if (isTail(state)) return endPass(state);
  const goesBack = state.pass % 2 === 0;
  const isEnd = goesBack ? state.page === 1 : state.page >= Math.min(lastPage, mostPages);
  if (!isEnd) return { ...state, page: goesBack ? Math.min(state.page - 1, lastPage) : state.page + 1 };
  // Departures hide orders from a pass forwards, arrivals from one backwards: it takes one of each, unless one page is all.
  const isWhole = state.page === 1 && lastPage === 1 && state.pass === 1;
  if (isWhole || (state.clean && state.pass > 1) || state.pass === mostPasses) return endPass(state);
  return { ...state, pass: state.pass + 1, page: goesBack ? 1 : lastPage, clean: true };
}

/** The passes are over: pages that could not be read are left, then the next of several lists, all over again. */
function endPass(state: BaselineState): BaselineState {
  const { list = 0, lists = 1, counted, skipped: [page, ...others] = [] } = state;
  if (page !== undefined) return { ...state, pass: mostPasses + 1, page, skipped: [page, ...others] };
  if (list + 1 >= lists) return { ...state, done: true };
  return { ...newBaseline(beginningsOf(state), state), counted, list: list + 1, lists };
}
