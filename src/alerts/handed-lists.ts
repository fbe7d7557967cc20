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

/** Which lists these are of, without the sealed token that is part of that. */
const labelOf = (of: string) => hash("sha256", of, "base64url");

/**
 * What a process remembers of a server's lists, as text for the next one: about 200 bytes for a quiet store of one page,
 * 100 kB for one of 500.
 *
 * @param of what the lists are of: `memoryOf` of the server's record
 */
export function handedText(of: string, memories: ReadonlyMap<string, ListMemory>): string {
  const lists = [...memories].map(([key, { failing, pages, absent, ...others }]) => [
    key,
    { ...others, failing: [...failing], pages: [...pages], absent: [...absent] },
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
