import { z } from "zod";
import { alertTriggers } from "../views/settings/set-up.ts";

export const setUpSchema = z.object({
  channelId: z.string().optional(),
  roleId: z.string().optional(),
  rings: z.enum(alertTriggers),
});

/** What was chosen for the first alerts of a server; in effect once a sample was asked for. */
export type SetUp = Readonly<z.infer<typeof setUpSchema>>;
