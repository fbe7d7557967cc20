import { z } from "zod";

/** A list of texts. In a malformed list, the items that are texts stay: one bad id must not remove the others. */
export const textsSchema = z
  .array(z.unknown())
  .transform((list): readonly string[] => list.filter((entry) => typeof entry === "string"))
  .catch([]);
