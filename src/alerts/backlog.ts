import type { Order } from "../store-api/schemas.ts";
import type { Page } from "../store-api/store-api.ts";
import { hasStatus, readPageOrGone, timeOf } from "./scan-page.ts";

/** How far the first reading has come, to be kept by the caller: plain data. */
export interface BacklogState {
  /** The statuses that began to ring, and when: epoch ms by the store's clock. */
  readonly statuses: readonly string[];
  readonly since: number;
  /** The page that is read next. */
  readonly page: number;
  /** Passes over all pages, from 1. Odd ones go from page 1 to the last, even ones back. */
  readonly pass: number;
  /** Whether this pass has found nothing to mark so far. */
  readonly clean: boolean;
  readonly done: boolean;
  /** Orders taken as seen. */
  readonly counted: number;
}

const MOST_PASSES = 4;

/** A backlog of which nothing has been read; `since` is epoch ms by the store's clock. */
export function newBacklog(since: number, statuses: readonly string[]): BacklogState {
  return { statuses, since, page: 1, pass: 1, clean: true, done: false, counted: 0 };
}

/**
 * Reads one page of what was there before alerts were turned on and has it taken as seen, so that it never rings. Orders
 * created since then are left to `scan`. Pages shift meanwhile, so they are read there and back, until a pass finds nothing
 * or 4 have been made: only an order that is shifted past the reader in both directions, or in all 4, stays unseen.
 *
 * Rejects with what `readPage`, `known` or `markSeen` rejects with; the caller keeps the old state and tries again. It
 * also sees to the pace.
 */
export async function readBacklogPage(input: {
  readonly state: BacklogState;
  /** One API request, with the status filter. */
  readPage(page: number): Promise<Page<Order>>;
  /** Which of these ids the ledger has, in whatever state. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Durable when it resolves. Not called without ids. */
  markSeen(ids: readonly string[]): Promise<void>;
}): Promise<{ state: BacklogState; seen: number }> {
  const { state } = input;
  if (state.done) return { state, seen: 0 };
  const page = await readPageOrGone(input.readPage, state.page);
  const old = page.items.filter((order) => hasStatus(order, state.statuses) && !(timeOf(order) >= state.since));
  const ids = [...new Set(old.map((order) => order.id))];
  const known = await input.known(ids);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) await input.markSeen(unknown);
  const read = { ...state, clean: state.clean && unknown.length === 0, counted: state.counted + unknown.length };
  return { state: advance(read, page.lastPage), seen: unknown.length };
}

function advance(state: BacklogState, lastPage: number): BacklogState {
  const goesBack = state.pass % 2 === 0;
  const isEnd = goesBack ? state.page === 1 : state.page >= lastPage;
  if (!isEnd) return { ...state, page: goesBack ? Math.min(state.page - 1, lastPage) : state.page + 1 };
  // Departures hide orders from a pass forwards, arrivals from one backwards: it takes one of each, unless one page is all.
  const isWhole = state.page === 1 && lastPage === 1 && state.pass === 1;
  if (isWhole || (state.clean && state.pass > 1) || state.pass === MOST_PASSES) return { ...state, done: true };
  return { ...state, pass: state.pass + 1, page: goesBack ? 1 : lastPage, clean: true };
}
