import { PermissionFlagsBits } from "@discordjs/core";
import type { Locale } from "../basics/locale.ts";

/** Who acts, where, and in which language they read. */
export interface Caller {
  readonly guildId: string;
  readonly channelId: string;
  /** Where that is a thread: the channel that it belongs to, whose settings it has. */
  readonly parentId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** The member's permissions in this channel, as Discord computed them. */
  readonly permissions: bigint;
  readonly locale: Locale;
}

/** Whether somebody may change the server's own settings, and not only what the bot was told to let them do. */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;
