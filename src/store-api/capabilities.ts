import { idHash } from "../basics/id-hash.ts";
import { type OrderQuery, type Page, rowsOf } from "./list-pages.ts";
import { filtersIgnored, type OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The parts of {@link OrderQuery} that an API may ignore. */
export type Feature = keyof OrderFilter | "limit" | "page";

/** What an answer has shown counts for a day, because the API may change. */
const beliefMs = 24 * 60 * 60_000;

/** A whole e-mail address. The API may treat any other text as a pattern. Then its answer proves nothing. */
const wholeAddress = /^[^\s@%*?]+@[^\s@%*?]+$/;

/** What the API of one token supports. The API's document does not say this, so each process learns it from the answers. */
export class Capabilities {
  private readonly beliefs = new Map<Feature, { readonly supported: boolean; readonly until: number }>();

  /** The page 1 that was read last: its list, and a hash of its rows. */
  private first: { readonly list: string; readonly rows: number } | undefined;

  /** Undefined if no answer of the last day has shown whether the API supports the feature. */
  of(feature: Feature): boolean | undefined {
    const belief = this.beliefs.get(feature);
    return belief !== undefined && performance.now() < belief.until ? belief.supported : undefined;
  }

  note(feature: Feature, supported: boolean): void {
    this.beliefs.set(feature, { supported, until: performance.now() + beliefMs });
  }

  /** Must be called before page 1 is requested, so that no later page is compared with an old page 1. */
  forgetPageOne(): void {
    this.first = undefined;
  }

  /** A page with exactly `limit` rows proves that the API supports the limit, unless an earlier answer proved the opposite. */
  observe(query: OrderQuery, page: Page<Order>): void {
    for (const feature of ignoredFilters(query, page)) {
      if (feature !== "email" || wholeAddress.test(query.email ?? "")) this.note(feature, false);
    }
    if (rowsOf(page) === query.limit && this.of("limit") !== false) this.note("limit", true);
    this.observeNumber(query, page);
  }

  /** If a later page of a list has the rows of page 1, the API ignores the page number. */
  private observeNumber({ page: number = 1, ...query }: OrderQuery, { items, lastPage }: Page<Order>): void {
    const [list, rows] = [JSON.stringify(query), idHash(items.map(({ id }) => id).join(" "))];
    if (number === 1) this.first = { list, rows };
    else if (items.length > 0 && number <= lastPage && this.first?.list === list) {
      this.note("page", rows !== this.first.rows);
    }
  }
}

/**
 * A filter was ignored if an order of the page does not match the filter. The limit was ignored if the page has more rows than
 * the limit. The limit was also ignored if a page before the last one has fewer rows, but is not empty.
 */
export function ignoredFilters(query: OrderQuery, page: Page<Order>): Feature[] {
  const { limit } = query;
  const rows = rowsOf(page);
  const isShort = (most: number) => rows > 0 && rows < most && (query.page ?? 1) < page.lastPage;
  const isLimitIgnored = limit !== undefined && (rows > limit || isShort(limit));
  return [...filtersIgnored(query, page.items), ...(isLimitIgnored ? (["limit"] as const) : [])];
}
