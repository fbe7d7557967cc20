import type { Held } from "../basics/shared-bound.ts";

/**
 * Bounds of one kind of session, for each person, each server and all servers; and what a server may keep even if the others keep
 * too much. Bytes are those of the stored JSON.
 */
export interface Bounds {
  readonly ofPerson: Held;
  readonly ofServer: Held;
  readonly ofAll: Held;
  readonly always: Held;
}

/** A kept session. In a list the last one is the newest. `until` is epoch ms. */
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
 * The entries of a server that may stay. The oldest go first: those of the person whose entry is the newest if that person has too
 * much, or those of the person who has most if the server has too much. Pinned entries go only if no others are left.
 *
 * @param entries the last one is the newest and always stays. It must fit within every bound alone
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
