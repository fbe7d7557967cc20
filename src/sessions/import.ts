import { z } from "zod";
import { newProductSchema } from "../store-api/schemas.ts";

export const importPlanSchema = z.object({
  rows: z.array(z.object({ row: z.number(), key: z.string(), product: newProductSchema }).readonly()).readonly(),
});

/** The products of a file, all of them sound, with the key by which each is known to have been created. */
export type ImportPlan = Readonly<z.infer<typeof importPlanSchema>>;
