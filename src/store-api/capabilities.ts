import { ignoredFilters } from "./ignored-filters.ts";
import { type OrderQuery, type Page, rowsOf } from "./listing.ts";
import { sameStatus } from "./orders.ts";
import type { Order } from "./schemas.ts";

/** What an API may do as asked or pass over; `several`: several statuses in one query. */
export type Feature = "status" | "email" | "limit" | "several";

/** What one token's API was seen to support, which its document does not say. In memory: a new process sees it again. */
export interface Capabilities {
  /** undefined: nothing has shown it yet, or what was shown is older than a day. */
  of(feature: Feature): boolean | undefined;
  /** Something proved it, one way or the other. */
  note(feature: Feature, supported: boolean): void;
}

/** {@link Capabilities} that learn from answers. */
export interface ObservedCapabilities extends Capabilities {
  /** What an answer shows to be supported does not outweigh what an earlier one showed to be ignored. */
  observe(query: OrderQuery, page: Page<Order>): void;
}

/** A service that is changed is seen as it is within a day. */
const beliefMs = 24 * 60 * 60_000;
/** A list may be cleared: one that was longer a good while ago proves nothing. */
const wholeMs = 10 * 60_000;

/** A whole e-mail address: other texts the API may take for a pattern or a part, so an answer to them proves nothing. */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/** @param now a clock that only runs forward, in milliseconds */
export function createCapabilities(now: () => number = () => performance.now()): ObservedCapabilities {
  const beliefs = new Map<Feature, { readonly supported: boolean; readonly until: number }>();
  let whole: { readonly least: number; readonly until: number } | undefined;

  function of(feature: Feature): boolean | undefined {
    const belief = beliefs.get(feature);
    return belief !== undefined && now() < belief.until ? belief.supported : undefined;
  }
  const note = (feature: Feature, supported: boolean) =>
    void beliefs.set(feature, { supported, until: now() + beliefMs });
  function saw(feature: Feature, supported: boolean): void {
    if (!supported || of(feature) !== false) note(feature, supported);
  }

  /** A list with one filter that is certainly shorter than the list without any was filtered. */
  function compare(query: OrderQuery, page: Page<Order>): void {
    const count = ordersIn(query, page);
    if (count === undefined) return;
    const { statuses = [], email = "" } = query;
    if (statuses.length === 0 && email === "") whole = { least: count.least, until: now() + wholeMs };
    else if (whole === undefined || now() >= whole.until || count.most >= whole.least) return;
    else if (email === "" && statuses.length === 1) saw("status", true);
    else if (statuses.length === 0 && wholeAddress.test(email)) saw("email", true);
  }

  return {
    of,
    note,
    observe(query, page) {
      const { statuses = [], email = "", limit } = query;
      const ignored = new Set(ignoredFilters(query, page));
      if (ignored.has("limit")) saw("limit", false);
      else if (rowsOf(page) === limit) saw("limit", true);
      if (ignored.has("status")) saw(statuses.length > 1 ? "several" : "status", false);
      else if (showsSeveral(statuses, page)) saw("several", true);
      if (ignored.has("email") && wholeAddress.test(email)) saw("email", false);
      if (!ignored.has("status") && !ignored.has("email")) compare(query, page);
    },
  };
}

/** Orders of two of the statuses: neither was dropped. */
function showsSeveral(statuses: readonly string[], { items }: Page<Order>): boolean {
  const [first] = items;
  if (statuses.length < 2 || first === undefined) return false;
  return items.some(({ status }) => !sameStatus(status, first.status));
}

/**
 * How many orders a list holds, as far as one of its pages tells; undefined when it does not tell. All pages before the
 * last hold as many rows as the one that was read, if that is not the last.
 */
export function ordersIn(
  query: OrderQuery,
  page: Page<Order>,
): { readonly least: number; readonly most: number } | undefined {
  // Its last page is a guess.
  if (page.isOpen) return undefined;
  const rows = rowsOf(page);
  const number = query.page ?? 1;
  if (number >= page.lastPage) return number === 1 ? { least: rows, most: rows } : undefined;
  return rows === 0 ? undefined : { least: (page.lastPage - 1) * rows + 1, most: page.lastPage * rows };
}
