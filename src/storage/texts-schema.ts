import { z } from "zod";

/** A list of texts. Of a malformed one, what is a text stays: one bad id must not take the others with it. */
export const textsSchema = z
  .array(z.unknown())
  .transform((list): readonly string[] => list.filter((entry) => typeof entry === "string"))
  .catch([]);
