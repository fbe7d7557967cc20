import type { Store } from "../store-api/store-api.ts";

/**
 * The lists that together show every order of these statuses: one query for all, or one for each where the API was not
 * seen to take several at once.
 */
export function listsOf(store: Store, statuses: readonly string[]): readonly (readonly string[])[] {
  const { honours } = store;
  // An API that ignores the filter gives the same list whatever is asked for.
  const isOneList = statuses.length < 2 || honours.of("several") === true || honours.of("status") === false;
  return isOneList ? [statuses] : statuses.map((status) => [status]);
}
