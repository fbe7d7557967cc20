import { hash } from "node:crypto";
import { z } from "zod";
import type { ListMemory } from "./list-memory.ts";

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

/**
 * What a process remembers of a server's lists, as text for the next one: about 300 bytes for a quiet store of one page,
 * 50 kB for one of 500, and 17 bytes more for each alerted order on them. What would be longer than 256 kB is not handed on:
 * undefined, and the next process reads those lists anew.
 *
 * @param of what the lists are of: `memoryOf` of the server's record
 */
export function handedText(of: string, memories: ReadonlyMap<string, ListMemory>): string | undefined {
  if (weightOf(memories) > mostHanded) return undefined;
  const lists = [...memories].map(([key, { failing, pages, absent, round, ...others }]) => [
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
