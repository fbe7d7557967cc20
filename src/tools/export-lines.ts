import { z } from "zod";
import { envelopeSchema } from "../storage/keyv-table.ts";
import type { RawEntry } from "../storage/table.ts";

const headerSchema = z.object({
  format: z.literal("shopbell export 1"),
  /** Random. An interrupted import continues only with the file that has this id. */
  id: z.uuid(),
  version: z.int().positive(),
  shopbell: z.string(),
  migratingFrom: z.int().positive().optional(),
  /** Epoch ms. */
  exportedAt: z.number(),
});

/**
 * Encrypted parts stay encrypted. `v` is the version of the entry (absent: 0); `expires` is epoch ms. If the stored text of an
 * entry is malformed, the line has this text as `raw`. If the entry were left out, its order would be announced again.
 */
const entrySchema = z.object({
  table: z.string().min(1),
  key: z.string().min(1),
  value: z.unknown().optional(),
  v: z.int().nonnegative().optional(),
  expires: z.number().optional(),
  raw: z.string().optional(),
});

/** A header, a line for each entry, and a last line with the number of entries. A file without the last line is incomplete. */
export const lineSchema = z.union([headerSchema, entrySchema, z.object({ entries: z.int().nonnegative() })]);

export type ExportHeader = z.infer<typeof headerSchema>;
export type ExportEntry = z.infer<typeof entrySchema>;

const storedSchema = envelopeSchema.extend({ expires: z.number().nullish() });

function partsOf(raw: string): Pick<ExportEntry, "value" | "v" | "expires" | "raw"> {
  try {
    const { value, v, expires } = storedSchema.parse(JSON.parse(raw));
    return { value, v: v === 0 ? undefined : v, expires: expires ?? undefined };
  } catch {
    return { raw };
  }
}

export function lineOf({ table, key, raw }: RawEntry): string {
  const line = JSON.stringify({ table, key, ...partsOf(raw) });
  // JSON leaves these two characters as they are, but Node's `readline` ends a line at them.
  return line.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** The stored text of an entry. */
export const rawOf = ({ value, v, expires, raw }: ExportEntry): string =>
  raw ?? JSON.stringify({ value, expires, v: v === 0 ? undefined : v });
