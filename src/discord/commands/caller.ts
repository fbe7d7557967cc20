import { PermissionFlagsBits } from "@discordjs/core";
import type { Locale } from "../../basics/locale.ts";

/** The member who uses a command or presses a button, with the channel where this happens and the member's language. */
export interface Caller {
  readonly guildId: string;
  readonly channelId: string;
  /** The parent channel, if the command was used in a thread. A thread has the permissions of its parent. */
  readonly parentId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** The member's permissions in this channel, as Discord computed them. */
  readonly permissions: bigint;
  readonly locale: Locale;
}

/**
 * Whether the caller has Manage Server or Administrator. Discord lets these members change the server's own settings.
 */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;
