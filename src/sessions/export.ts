import { z } from "zod";
import { ProblemError } from "../views/parts/problem.ts";
import type { Sessions } from "./sessions.ts";

export const exportSessionSchema = z.object({ what: z.enum(["orders", "products", "stats"]) });

/** An export, or a reading for figures, that goes on for as long as its session is there: whoever takes that ends it, in whichever process it runs. */
export type ExportSession = Readonly<z.infer<typeof exportSessionSchema>>;

export const hasExpired = (error: unknown): boolean => error instanceof ProblemError && error.code === "expired";

/** Whether somebody ended it. */
export const isCancelled = (
  exports: Pick<Sessions<ExportSession>, "find">,
  ...whose: Parameters<Sessions<ExportSession>["find"]>
): Promise<boolean> => exports.find(...whose).then(() => false, hasExpired);
