import type { Order } from "../store-api/schemas.ts";

type Dated = Pick<Order, "createdAt">;

/**
 * Tells, from what is new of each read, how young what follows can be at most (epoch ms). The API promises no sequence: only
 * one that every row so far has kept is relied on.
 */
export function createYoungestLeft(): (fresh: readonly Dated[]) => number {
  let youngest = Number.POSITIVE_INFINITY;
  let newest = Number.POSITIVE_INFINITY;
  let isNewestFirst = true;
  return (fresh) => {
    for (const { createdAt = Number.NaN } of fresh) {
      isNewestFirst &&= createdAt <= newest;
      newest = createdAt;
    }
    // Not that of its last row: a row out of its place is given a page to show itself.
    youngest = fresh[0]?.createdAt ?? youngest;
    return isNewestFirst ? youngest : Number.POSITIVE_INFINITY;
  };
}

/** Tells, from what is new of each read, whether nothing can follow that is as young as `from` (epoch ms). */
export function createPast(from: number): (fresh: readonly Dated[]) => boolean {
  const youngestLeft = createYoungestLeft();
  return (fresh) => youngestLeft(fresh) < from;
}
