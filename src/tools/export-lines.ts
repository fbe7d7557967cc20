import { z } from "zod";
import { envelopeSchema } from "../storage/keyv-table.ts";
import type { RawEntry } from "../storage/table.ts";

const headerSchema = z.object({
  format: z.literal("shopbell export 1"),
  /** Random: no other file has it. */
  id: z.uuid(),
  /** Version of the data, and of the Shopbell that wrote them. */
  version: z.int().positive(),
  shopbell: z.string(),
  /** Epoch ms. */
  exportedAt: z.number(),
});

/** `value` is as it is stored: what was sealed is sealed. `v` is its version, 0 where it has none; `expires` is epoch ms. */
const entrySchema = z.object({
  table: z.string().min(1),
  key: z.string().min(1),
  value: z.unknown(),
  v: z.int().nonnegative().optional(),
  expires: z.number().optional(),
});

/** What `npm run export` writes: a header, a line for each entry, and a last line, without which the file is not whole. */
export const lineSchema = z.union([headerSchema, entrySchema, z.object({ entries: z.int().nonnegative() })]);

export type ExportHeader = z.infer<typeof headerSchema>;
export type ExportEntry = z.infer<typeof entrySchema>;

const storedSchema = envelopeSchema.extend({ expires: z.number().nullish() });

/** The line of an entry. Throws where what is stored is no entry. */
export function lineOf({ table, key, raw }: RawEntry): string {
  const { value, v, expires } = storedSchema.parse(JSON.parse(raw));
  const line = JSON.stringify({ table, key, value, v: v === 0 ? undefined : v, expires: expires ?? undefined });
  // JSON takes these two as they are, and Node's reader of lines ends a line at them.
  return line.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** What is stored for a line's entry: the text that was stored. */
export const rawOf = ({ value, v, expires }: ExportEntry): string =>
  JSON.stringify({ value, expires, v: v === 0 ? undefined : v });
