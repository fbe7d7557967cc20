import type { Order } from "../store-api/schemas.ts";

/**
 * Tells, from what is new of each read, whether nothing can follow that is as young as `from` (epoch ms). The API promises
 * no sequence: only one that every row so far has kept is relied on.
 */
export function createPast(from: number): (fresh: readonly Pick<Order, "createdAt">[]) => boolean {
  let newest = Number.POSITIVE_INFINITY;
  let isNewestFirst = true;
  return (fresh) => {
    for (const { createdAt = Number.NaN } of fresh) {
      isNewestFirst &&= createdAt <= newest;
      newest = createdAt;
    }
    return (
      isNewestFirst && fresh.length > 0 && newest < from && fresh.every(({ createdAt }) => (createdAt ?? from) < from)
    );
  };
}
