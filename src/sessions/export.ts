import { z } from "zod";

export const exportSessionSchema = z.object({ what: z.enum(["orders", "products"]) });

/** An export that goes on for as long as its session is there: whoever takes that ends it, in whichever process it runs. */
export type ExportSession = Readonly<z.infer<typeof exportSessionSchema>>;
