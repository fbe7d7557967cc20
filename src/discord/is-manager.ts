import { PermissionFlagsBits } from "@discordjs/core";
import type { Caller } from "./define-command.ts";

/** Whether somebody may change the server's own settings, and not only what the bot was told to let them do. */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;
