import { z } from "zod";

export const importFileSchema = z.object({
  /** Where Discord keeps the file. */
  url: z.string(),
  bytes: z.number(),
  /** Of its products as they were shown: another file has another one, and so has one that is understood differently by now. */
  digest: z.string(),
});

/** A file of products that was shown and waits for its Create; its content stays with Discord. */
export type ImportFile = Readonly<z.infer<typeof importFileSchema>>;
