import { type OrderQuery, type Page, rowsOf } from "./listing.ts";
import { filtersIgnored, type OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The parts of {@link OrderQuery} that an API may ignore. */
export type Feature = keyof OrderFilter | "limit";

/** A proof counts for a day, so a change of the service is noticed within a day. */
const beliefMs = 24 * 60 * 60_000;

/** Matches a whole e-mail address. The API may treat another text as a pattern, so an answer to it proves nothing. */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/**
 * The features that one token's API supports, as its answers have shown. The API's document does not say. The knowledge
 * is in memory only: a new process learns it again.
 */
export class Capabilities {
  private readonly beliefs = new Map<Feature, { readonly supported: boolean; readonly until: number }>();

  /** Whether the API supports the feature; undefined if no answer has shown it within the last day. */
  of(feature: Feature): boolean | undefined {
    const belief = this.beliefs.get(feature);
    return belief !== undefined && performance.now() < belief.until ? belief.supported : undefined;
  }

  /** Records that the feature was proved to be supported or ignored. */
  note(feature: Feature, supported: boolean): void {
    this.beliefs.set(feature, { supported, until: performance.now() + beliefMs });
  }

  /** Learns from an answer. Once an answer showed that the limit is ignored, a page of that size proves nothing. */
  observe(query: OrderQuery, page: Page<Order>): void {
    for (const feature of ignoredFilters(query, page)) {
      if (feature !== "email" || wholeAddress.test(query.email ?? "")) this.note(feature, false);
    }
    if (rowsOf(page) === query.limit && this.of("limit") !== false) this.note("limit", true);
  }
}

/**
 * Returns the features that the API ignored, as one answer shows: it has an order with another status or e-mail
 * address, more rows than asked for, or fewer rows on a page that is not the last.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): Feature[] {
  const { limit } = query;
  const rows = rowsOf(page);
  const isShort = (most: number) => rows > 0 && rows < most && (query.page ?? 1) < page.lastPage;
  const isLimitIgnored = limit !== undefined && (rows > limit || isShort(limit));
  return [...filtersIgnored(query, page.items), ...(isLimitIgnored ? (["limit"] as const) : [])];
}
