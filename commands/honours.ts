import type { Order } from "../src/store-api/schemas.ts";
import { ignoredFilters, type OrderQuery, type Page } from "../src/store-api/store-api.ts";

export type Filter = "status" | "email" | "limit";

/** What the API was seen to honour: the document does not say, and it is one API for all servers. */
export interface Honours {
  /** Takes in what one answer shows; returns what it, or an earlier one, shows to be ignored of this query. */
  note(query: OrderQuery, page: Page<Order>): ReadonlySet<Filter>;
  /** A comparison proved that the filter works. */
  prove(filter: Filter): void;
  /** `undefined`: nothing has shown it yet. */
  of(filter: Filter): boolean | undefined;
}

/** In memory: a new process sees it again. */
export function createHonours(): Honours {
  const seen = new Map<Filter, boolean>();
  return {
    note(query, page) {
      for (const filter of ignoredFilters(query, page)) seen.set(filter, false);
      if (query.limit !== undefined && page.items.length === query.limit && seen.get("limit") === undefined)
        seen.set("limit", true);
      const asked: Filter[] = [
        "limit",
        ...(query.statuses ? ["status" as const] : []),
        ...(query.email ? ["email" as const] : []),
      ];
      return new Set(asked.filter((filter) => seen.get(filter) === false));
    },
    prove(filter) {
      if (seen.get(filter) === undefined) seen.set(filter, true);
    },
    of: (filter) => seen.get(filter),
  };
}
