import { z } from "zod";

/** A list of texts. A malformed list keeps those of its items that are texts: one bad id must not remove the others. */
export const textsSchema = z
  .array(z.unknown())
  .transform((list): readonly string[] => list.filter((entry) => typeof entry === "string"))
  .catch([]);
