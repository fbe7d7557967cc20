import { z } from "zod";

/** A list of texts. Other items are left out, because one malformed id must not remove the others. */
export const textsSchema = z
  .array(z.unknown())
  .transform((list): readonly string[] => list.filter((entry) => typeof entry === "string"))
  .catch([]);
