import { ordersIn } from "./capabilities.ts";
import { sameStatus } from "./order-status.ts";
import type { Store } from "./store.ts";

/** Statuses asked for one by one until two of them have orders: whoever chooses more chooses those that matter first. */
const mostAsked = 8;
/** Orders that may change their status between two counts, and are in both: of a small store they may be half of it. */
const fewChanges = 5;

interface Count {
  readonly least: number;
  readonly most: number;
}

const sum = (one: Count, other: Count): Count => ({ least: one.least + other.least, most: one.most + other.most });
const distance = (one: Count, other: Count) => Math.max(0, one.least - other.most, other.least - one.most);

/**
 * Whether a query with all of these statuses gives what single queries give. The document says that commas stand between
 * several (store-open-api 4.3); a server that takes one only answers with nothing, with the orders of one of them, or
 * with all orders. Asks the API only while {@link Store.capabilities} does not know, and notes there what it found out: two
 * statuses one by one, then both at once in either sequence, and the whole list, a row each, for `lastPage` counts them.
 *
 * @returns undefined when it could not be told: no order has any of these statuses, say
 * @throws {StoreError}; the reason of `signal`
 */
export async function takesSeveral(
  store: Store,
  statuses: readonly string[],
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { capabilities } = store;
  const distinct = statuses.filter((status, index) => index === statuses.findIndex((one) => sameStatus(one, status)));
  // One status alone, and an API that passes over every status, give the same either way.
  if (distinct.length < 2 || capabilities.of("status") === false) return true;
  const believed = capabilities.of("several");
  if (believed !== undefined) return believed;

  const count = async (asked: readonly string[]): Promise<Count | undefined> => {
    const query = { limit: 1, ...(asked.length === 0 ? {} : { statuses: asked }) };
    return ordersIn(query, await store.listOrders(query, signal));
  };
  const pair = await twoOf(distinct, count);
  if (pair === undefined) return undefined;
  const [one, other] = pair;
  const whole = await count([]);
  const together = await count([one.status, other.status]);
  const reversed = await count([other.status, one.status]);
  // Rows of another status than those asked for were seen on the way.
  if (capabilities.of("status") === false) return true;
  const shown = capabilities.of("several");
  if (shown !== undefined) return shown;
  if (whole === undefined || together === undefined || reversed === undefined) return undefined;

  const joined = sum(one.count, other.count);
  // No order has two statuses: lists that hold more than the whole are not filtered. Half of it is for orders that change.
  if (joined.least > 1.5 * whole.most && joined.least - whole.most > fewChanges) {
    capabilities.note("status", false);
    return true;
  }
  const far = (first: Count, second: Count) => distance(together, first) + distance(reversed, second);
  const all = far(joined, joined);
  const others = [
    // The orders of the first or of the last of them. No orders at all are nearer to these than to both, too.
    far(one.count, other.count),
    far(other.count, one.count),
    // As long as the whole list, which then proves nothing if both statuses are all that it holds.
    ...(distance(joined, whole) === 0 ? [] : [far(whole, whole)]),
  ];
  const nearest = Math.min(...others);
  if (all === nearest) return undefined;
  capabilities.note("several", all < nearest);
  return all < nearest;
}

/** Two of the statuses, at least one of which has orders; undefined when none has, or when a count cannot be told. */
async function twoOf(
  statuses: readonly string[],
  count: (asked: readonly string[]) => Promise<Count | undefined>,
): Promise<[{ status: string; count: Count }, { status: string; count: Count }] | undefined> {
  const empty: { status: string; count: Count }[] = [];
  const filled: { status: string; count: Count }[] = [];
  for (const status of statuses.slice(0, mostAsked)) {
    const found = await count([status]);
    if (found === undefined) return undefined;
    (found.most === 0 ? empty : filled).push({ status, count: found });
    if (filled.length === 2) break;
  }
  const [one, other] = [...filled, ...empty];
  return filled.length === 0 || one === undefined || other === undefined ? undefined : [one, other];
}
