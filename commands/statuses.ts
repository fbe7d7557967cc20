import { statusKey } from "../src/store-api/orders.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { firstChoices, searchFor } from "./choices.ts";

/** The only status that the API document shows (store-open-api 3). */
const documented = "PENDING";

/** Statuses that are taken of what was typed: each may be a list of its own. A store has fewer. */
const mostStatuses = 25;

/** Every status that these orders have, and the documented one, each once. */
export function statusesSeen(orders: readonly Order[]): string[] {
  return [...new Set([documented, ...orders.map(({ status }) => status)])].filter(Boolean);
}

/**
 * Statuses typed with commas between them, each once, the first 25; undefined when there is none. One that differs from a status of
 * `seen` by its capitals only becomes that one, for the API may tell them apart.
 */
export function statusesIn(typed: string | undefined, seen: readonly string[] = [documented]): string[] | undefined {
  // The first spelling of each that was seen. Compared with each other, thousands of either take seconds.
  const spelled = new Map(seen.map((status) => [statusKey(status), status] as const).reverse());
  const statuses = (typed ?? "").split(",").map((status) => spelled.get(statusKey(status)) ?? status.trim());
  const distinct = [...new Set(statuses)].filter(Boolean);
  return distinct.length > 0 ? distinct.slice(0, mostStatuses) : undefined;
}

/** Suggestions for the last of several statuses: what was typed before its comma stays. */
export function suggestStatuses(typed: string, seen: readonly string[]) {
  const parts = typed.split(",");
  const isWanted = searchFor(parts.pop() ?? "");
  const before = new Set(parts.map((part) => part.trim()).filter(Boolean));
  const start = [...before].map((status) => `${status},`).join("");
  return firstChoices(seen, (status) => {
    const value = start + status;
    return value.length <= 100 && !before.has(status) && isWanted(status) ? { name: value, value } : undefined;
  });
}
