import { z } from "zod";

/**
 * A list of texts. Items that are no texts are left out, because one malformed item must not make the others unreadable.
 * Anything that is no list reads as an empty list.
 */
export const textsSchema = z
  .array(z.unknown())
  .transform((list): readonly string[] => list.filter((entry) => typeof entry === "string"))
  .catch([]);
