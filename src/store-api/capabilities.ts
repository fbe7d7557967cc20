import { type OrderQuery, type Page, rowsOf } from "./listing.ts";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/** A part of {@link OrderQuery} that an API may ignore. */
export type Feature = "status" | "email" | "limit";

/**
 * The features that one token's API was seen to support; its document does not say. Kept in memory: a new process learns them
 * again.
 */
export interface Capabilities {
  /** undefined: no answer has shown it yet, or the last proof is older than a day. */
  of(feature: Feature): boolean | undefined;
  /** Records a proof that the feature is supported, or ignored. */
  note(feature: Feature, supported: boolean): void;
}

/** {@link Capabilities} that learn from answers. */
export interface ObservedCapabilities extends Capabilities {
  /** Learns from an answer. Once an answer showed that a feature is ignored, later signs of support do not count. */
  observe(query: OrderQuery, page: Page<Order>): void;
}

/** A change of the service is noticed within a day. */
const beliefMs = 24 * 60 * 60_000;
/** A list may be cleared. If it was longer some time ago, that proves nothing now. */
const wholeMs = 10 * 60_000;

const monotonic = () => performance.now();

/** A whole e-mail address. The API may take other texts for a pattern or a part, so an answer to them proves nothing. */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/** A belief about a feature, and its end on the monotonic clock. */
interface Belief {
  readonly supported: boolean;
  readonly until: number;
}

/** A class, because there is one for each of a hundred thousand tokens. */
class Observed implements ObservedCapabilities {
  private readonly now: () => number;
  private readonly beliefs = new Map<Feature, Belief>();
  private whole: { readonly least: number; readonly until: number } | undefined;

  constructor(now: () => number) {
    this.now = now;
  }

  of(feature: Feature): boolean | undefined {
    const belief = this.beliefs.get(feature);
    return belief !== undefined && this.now() < belief.until ? belief.supported : undefined;
  }

  note(feature: Feature, supported: boolean) {
    this.beliefs.set(feature, { supported, until: this.now() + beliefMs });
  }

  observe(query: OrderQuery, page: Page<Order>) {
    const { email = "", limit } = query;
    const ignored = new Set(ignoredFilters(query, page));
    if (ignored.has("limit")) this.saw("limit", false);
    else if (rowsOf(page) === limit) this.saw("limit", true);
    if (ignored.has("status")) this.saw("status", false);
    if (ignored.has("email") && wholeAddress.test(email)) this.saw("email", false);
    if (!ignored.has("status") && !ignored.has("email")) this.compare(query, page);
  }

  private saw(feature: Feature, supported: boolean) {
    if (!supported || this.of(feature) !== false) this.note(feature, supported);
  }

  /** If a list with one filter is certainly shorter than the list without filters, the filter works. */
  private compare(query: OrderQuery, page: Page<Order>) {
    const count = ordersIn(query, page);
    if (count === undefined) return;
    const { statuses = [], email = "" } = query;
    const { whole } = this;
    if (statuses.length === 0 && email === "") this.whole = { least: count.least, until: this.now() + wholeMs };
    else if (whole === undefined || this.now() >= whole.until || count.most >= whole.least) return;
    else if (email === "" && statuses.length === 1) this.saw("status", true);
    else if (statuses.length === 0 && wholeAddress.test(email)) this.saw("email", true);
  }
}

/** @param now a monotonic clock, in milliseconds */
export const createCapabilities = (now: () => number = monotonic): ObservedCapabilities => new Observed(now);

/**
 * The features that the API ignored, as one answer shows: an order with another status or e-mail address, more rows than asked
 * for, or fewer on a page that is not the last. An empty result proves nothing: the answer may fit by chance.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): Feature[] {
  const { statuses = [], email = "", limit } = query;
  const ignored: Feature[] = [];
  const isWanted = withStatus(statuses);
  if (statuses.length > 0 && page.items.some((order) => !isWanted(order))) ignored.push("status");
  const wanted = email.toLowerCase();
  if (page.items.some((order) => !order.customer.email.toLowerCase().includes(wanted))) ignored.push("email");
  if (limit !== undefined) {
    const rows = rowsOf(page);
    const isShort = rows > 0 && rows < limit && (query.page ?? 1) < page.lastPage;
    if (rows > limit || isShort) ignored.push("limit");
  }
  return ignored;
}

/**
 * The number of orders in a list, judged by one of its pages; undefined if the page does not show it. All pages before the last
 * have as many rows as the page that was read, if that is not the last.
 */
function ordersIn(query: OrderQuery, page: Page<Order>): { readonly least: number; readonly most: number } | undefined {
  // The number of the last page is a guess.
  if (page.isOpen) return undefined;
  const rows = rowsOf(page);
  const number = query.page ?? 1;
  if (number >= page.lastPage) return number === 1 ? { least: rows, most: rows } : undefined;
  return rows === 0 ? undefined : { least: (page.lastPage - 1) * rows + 1, most: page.lastPage * rows };
}
