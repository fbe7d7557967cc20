import { z } from "zod";
import { allRings } from "../views/set-up.ts";

export const setUpSchema = z.object({
  channelId: z.string().optional(),
  roleId: z.string().optional(),
  rings: z.enum(allRings),
});

/** What was chosen for the first alerts of a server; in effect once a sample was asked for. */
export type SetUp = Readonly<z.infer<typeof setUpSchema>>;
