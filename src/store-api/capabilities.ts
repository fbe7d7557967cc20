import { type OrderQuery, type Page, rowsOf } from "./list-pages.ts";
import { filtersIgnored, type OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The parts of {@link OrderQuery} that an API may ignore. */
export type Feature = keyof OrderFilter | "limit";

/** A proof counts for a day, because the service may change. */
const beliefMs = 24 * 60 * 60_000;

/** Matches a whole e-mail address. The API may treat any other text as a pattern, so the answer to it proves nothing. */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/**
 * The features that the API of one token supports. The API's document does not list them, so the bot learns them from the
 * answers. They are only in memory, so each process learns them again.
 */
export class Capabilities {
  private readonly beliefs = new Map<Feature, { readonly supported: boolean; readonly until: number }>();

  /** Whether the API supports the feature. Undefined if no answer of the last day proved either. */
  of(feature: Feature): boolean | undefined {
    const belief = this.beliefs.get(feature);
    return belief !== undefined && performance.now() < belief.until ? belief.supported : undefined;
  }

  /** Records a proof that the API supports or ignores the feature. */
  note(feature: Feature, supported: boolean): void {
    this.beliefs.set(feature, { supported, until: performance.now() + beliefMs });
  }

  /**
   * Learns from an answer which features the API supports. A page with exactly `limit` rows proves that the API supports the
   * limit, unless an earlier answer proved the opposite.
   */
  observe(query: OrderQuery, page: Page<Order>): void {
    for (const feature of ignoredFilters(query, page)) {
      if (feature !== "email" || wholeAddress.test(query.email ?? "")) this.note(feature, false);
    }
    if (rowsOf(page) === query.limit && this.of("limit") !== false) this.note("limit", true);
  }
}

/**
 * Returns the features that the API ignored in one answer. A filter was ignored if the page has an order that does not match
 * it. The limit was ignored in two cases: the page has more rows than the limit; or it has fewer rows, is not empty, and is not
 * the last page.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): Feature[] {
  const { limit } = query;
  const rows = rowsOf(page);
  const isShort = (most: number) => rows > 0 && rows < most && (query.page ?? 1) < page.lastPage;
  const isLimitIgnored = limit !== undefined && (rows > limit || isShort(limit));
  return [...filtersIgnored(query, page.items), ...(isLimitIgnored ? (["limit"] as const) : [])];
}
