import type { Held } from "../basics/shared-bound.ts";

/**
 * Limits of one kind of session for each person, each server and all servers together. `always` is what each server may store
 * even if the others have too much. Bytes are those of the stored JSON.
 */
export interface Bounds {
  readonly ofPerson: Held;
  readonly ofServer: Held;
  readonly ofAll: Held;
  readonly always: Held;
}

/** A stored session. The last one in a list is the newest. `until` is epoch ms. */
export interface Entry {
  readonly name: string;
  readonly userId: string;
  readonly bytes: number;
  readonly until: number;
  readonly isPinned: boolean;
}

const units = ["count", "bytes"] as const;
export const heldBy = (entries: readonly Pick<Entry, "bytes">[]): Held => ({
  count: entries.length,
  bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
});
const heldIn = (unit: keyof Held, entries: readonly Entry[]) => heldBy(entries)[unit];

/**
 * Returns the entries of a server that may stay. The oldest go first: if the person of the newest entry has too much, entries
 * of that person; if the server has too much, entries of the person with most. Pinned entries go last.
 *
 * @param entries the last one is the newest and always stays. Alone, it must be within every limit
 */
export function withinBounds(
  entries: readonly Entry[],
  { ofPerson, ofServer }: Pick<Bounds, "ofPerson" | "ofServer">,
): Entry[] {
  let kept = [...entries];
  const newest = kept.at(-1);
  const of = (userId: string | undefined) => kept.filter((entry) => entry.userId === userId);
  const spare = (among: readonly Entry[]) => {
    const others = among.filter((entry) => entry !== newest);
    const unpinned = others.filter(({ isPinned }) => !isPinned);
    return unpinned.length > 0 ? unpinned : others;
  };
  const removeFirstOf = ([out]: readonly Entry[]) => {
    kept = kept.filter((entry) => entry !== out);
  };
  for (const unit of units) {
    while (heldIn(unit, of(newest?.userId)) > ofPerson[unit]) removeFirstOf(spare(of(newest?.userId)));
  }
  for (const unit of units) {
    while (heldIn(unit, kept) > ofServer[unit]) {
      const candidates = spare(kept);
      const held = new Map(candidates.map(({ userId }) => [userId, heldIn(unit, of(userId))]));
      const most = Math.max(...held.values());
      removeFirstOf(candidates.filter(({ userId }) => held.get(userId) === most));
    }
  }
  return kept;
}
