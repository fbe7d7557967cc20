import { z } from "zod";
import type { Held } from "../basics/limits/shared-bound.ts";

/**
 * Even if all servers together store too much, each server may store as much as `always`. Bytes are those of the encrypted
 * sessions. For `ofAll` and `always`, 400 bytes for each session are added.
 */
export interface Bounds {
  readonly ofPerson: Held;
  readonly ofServer: Held;
  readonly ofAll: Held;
  readonly always: Held;
}

export const entrySchema = z.object({
  name: z.string(),
  userId: z.string(),
  bytes: z.number(),
  until: z.number(),
  isPinned: z.boolean(),
});

/** `until` is epoch ms. */
export type Entry = Readonly<z.infer<typeof entrySchema>>;

export const heldBy = (entries: readonly Pick<Entry, "bytes">[]): Held => ({
  count: entries.length,
  bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
});

const excessOf = (entries: readonly Entry[], most: Held) =>
  (["count", "bytes"] as const).find((unit) => heldBy(entries)[unit] > most[unit]);

/**
 * Leaves entries out until the limits are met: the oldest first, and pinned entries last. If the person of the newest entry has
 * too much, this person loses entries. If the server has too much, the person with the most entries or bytes loses entries. The
 * newest entry is the last of `entries`. It always stays, and must be within every limit by itself.
 */
export function withinBounds(
  entries: readonly Entry[],
  { ofPerson, ofServer }: Pick<Bounds, "ofPerson" | "ofServer">,
): Entry[] {
  const newest = entries.at(-1);
  let kept = [...entries];
  const of = (userId: string | undefined) => kept.filter((entry) => entry.userId === userId);
  const fit = (among: () => readonly Entry[], most: Held) => {
    for (let unit = excessOf(among(), most); unit; unit = excessOf(among(), most)) {
      const measure = unit;
      const others = among().filter((entry) => entry !== newest);
      const unpinned = others.filter(({ isPinned }) => !isPinned);
      const candidates = unpinned.length > 0 ? unpinned : others;
      const held = new Map(candidates.map(({ userId }) => [userId, heldBy(of(userId))[measure]]));
      const largest = Math.max(...held.values());
      const out = candidates.find(({ userId }) => held.get(userId) === largest);
      kept = kept.filter((entry) => entry !== out);
    }
  };
  fit(() => of(newest?.userId), ofPerson);
  fit(() => kept, ofServer);
  return kept;
}
