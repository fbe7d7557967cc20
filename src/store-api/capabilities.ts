import { type OrderQuery, type Page, rowsOf } from "./listing.ts";
import { withStatus } from "./order-status.ts";
import type { Order } from "./schemas.ts";

/** A part of {@link OrderQuery} that an API may ignore. */
export type Feature = "status" | "email" | "limit";

/**
 * The features that one token's API supports, as its answers have shown. The API's document does not say. The knowledge
 * is in memory only: a new process learns it again.
 */
export interface Capabilities {
  /**
   * Whether the API supports the feature; undefined if no answer has shown it yet, or if the last proof is older than a
   * day.
   */
  of(feature: Feature): boolean | undefined;
  /** Records that an answer proved the feature to be supported or ignored. */
  note(feature: Feature, supported: boolean): void;
}

/** {@link Capabilities} that learn from every answer. */
export interface ObservedCapabilities extends Capabilities {
  /** Learns from an answer. Once an answer showed that a feature is ignored, later signs of support do not count. */
  observe(query: OrderQuery, page: Page<Order>): void;
}

/** A proof counts for a day, so a change of the service is noticed within a day. */
const beliefMs = 24 * 60 * 60_000;
/**
 * How long the length of the whole list is remembered. The store may delete orders, so an older length proves nothing.
 */
const wholeMs = 10 * 60_000;

const monotonic = () => performance.now();

/**
 * Matches a whole e-mail address. The API may treat another text as a pattern or a part of an address, so an answer to
 * it proves nothing.
 */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/** Whether a feature is supported, and until when this counts, on the monotonic clock. */
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

  /**
   * Compares the length of a filtered list with the length of the whole list. If the filtered list is certainly
   * shorter, the filter works.
   */
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
 * Returns the features that the API ignored, as one answer shows: it has an order with another status or e-mail
 * address, more rows than asked for, or fewer rows on a page that is not the last. An empty answer proves nothing,
 * because it may fit by chance.
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
 * Bounds the number of orders in a list by one of its pages; undefined if the page does not show it. It assumes that
 * all pages before the last have the same number of rows.
 */
function ordersIn(query: OrderQuery, page: Page<Order>): { readonly least: number; readonly most: number } | undefined {
  // If the API names no last page, its number is a guess.
  if (page.isOpen) return undefined;
  const rows = rowsOf(page);
  const number = query.page ?? 1;
  if (number >= page.lastPage) return number === 1 ? { least: rows, most: rows } : undefined;
  return rows === 0 ? undefined : { least: (page.lastPage - 1) * rows + 1, most: page.lastPage * rows };
}
