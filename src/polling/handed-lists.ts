import { hash } from "node:crypto";
import { z } from "zod";
import { numberOf } from "../basics/number-of.ts";
import { roundsGone } from "../orders/departures.ts";
import type { ListMemory } from "../orders/list-memory.ts";

const pageSchema = z.object({ fingerprint: z.string(), lastPage: z.number(), alerted: z.array(z.number()) });
const absenceSchema = z.object({ createdAt: z.number().optional(), round: z.number(), reports: z.number() });
const failingSchema = z.object({ failures: z.number(), rest: z.number() });

/** A {@link ListMemory}, its maps as lists of pairs. */
const memorySchema = z.object({
  next: z.number(),
  round: z.number(),
  resume: z.array(z.number()),
  failing: z.array(z.tuple([z.number(), failingSchema])).transform((pairs) => new Map(pairs)),
  newest: z.number().optional(),
  sorting: z.enum(["newest_first", "oldest_first", "mixed"]).optional(),
  pages: z.array(z.tuple([z.number(), pageSchema])).transform((pairs) => new Map(pairs)),
  absent: z
    .array(z.tuple([z.string(), absenceSchema]))
    .transform((pairs) => new Map(pairs.map(([id, absence]) => [id, { ...absence, createdAt: absence.createdAt }]))),
  isPlaced: z.boolean(),
});
const handedSchema = z.object({ of: z.string(), lists: z.array(z.tuple([z.string(), memorySchema])) });

/** Of one server: Redis has to have room for every server's, and whoever takes it over parses it in one piece. */
const mostHanded = 256 * 1_024;
const pageBytes = 100;
const alertedBytes = 17;
const absentBytes = 100;

/** About how many bytes it takes: known before all of it is made a text, for that takes long where it is much. */
function weightOf(memories: ReadonlyMap<string, ListMemory>): number {
  let bytes = 0;
  for (const { pages, absent } of memories.values()) {
    bytes += absent.size * absentBytes + pages.size * pageBytes;
    for (const { alerted } of pages.values()) bytes += alerted.length * alertedBytes;
  }
  return bytes;
}

/** Which lists these are of, without the sealed token that is part of that. */
const labelOf = (of: string) => hash("sha256", of, "base64url");

/** No page has it. */
const unread = "";

/**
 * The lists as they are without what they showed of some alerted orders: pages with them were not read, and those that are
 * gone were not given as missing. Undefined where one of them is nowhere.
 */
function without(due: readonly string[], memories: ReadonlyMap<string, ListMemory>) {
  if (due.length === 0) return memories;
  const ids = new Map(due.map((id) => [numberOf(id), id]));
  const nowhere = new Set(due);
  const lists = [...memories].map(([key, list]) => {
    const pages = [...list.pages].map(([number, page]) => {
      const shown = page.alerted.flatMap((order) => ids.get(order) ?? []);
      for (const id of shown) nowhere.delete(id);
      return [number, shown.length > 0 ? { ...page, fingerprint: unread } : page] as const;
    });
    const absent = new Map(list.absent);
    for (const id of due) {
      const absence = absent.get(id);
      if (absence === undefined) continue;
      nowhere.delete(id);
      absent.set(id, { ...absence, round: Math.min(absence.round, list.round - roundsGone), reports: 0 });
    }
    return [key, { ...list, pages: new Map(pages), absent }] as const;
  });
  return nowhere.size > 0 ? undefined : new Map(lists);
}

/**
 * What a process remembers of a server's lists, as text for the next one: about 300 bytes for a quiet store of one page,
 * 50 kB for one of 500, and 17 bytes more for each alerted order on them. What would be longer than 256 kB is not handed on:
 * undefined, and the next process reads those lists anew.
 *
 * @param of what the lists are of: `memoryOf` of the server's record
 * @param due alerted orders of which the next process has to see for itself what became of them
 */
export function handedText(
  of: string,
  memories: ReadonlyMap<string, ListMemory>,
  due: readonly string[] = [],
): string | undefined {
  if (weightOf(memories) > mostHanded) return undefined;
  const handed = without(due, memories);
  if (handed === undefined) return undefined;
  const lists = [...handed].map(([key, { failing, pages, absent, round, ...others }]) => [
    key,
    // Rounds are counted for what is absent: without that, a list of one page would differ after each quiet poll.
    { ...others, round: absent.size > 0 ? round : 0, failing: [...failing], pages: [...pages], absent: [...absent] },
  ]);
  return JSON.stringify({ of: labelOf(of), lists });
}

/** What `handedText` made; undefined where it is of other lists, or of another version that remembered otherwise. */
export function handedLists(of: string, text: string): ReadonlyMap<string, ListMemory> | undefined {
  try {
    const handed = handedSchema.parse(JSON.parse(text));
    return handed.of === labelOf(of) ? new Map(handed.lists) : undefined;
  } catch {
    return undefined;
  }
}
