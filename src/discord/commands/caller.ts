import { PermissionFlagsBits } from "@discordjs/core";
import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../basics/privacy.ts";

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

/** Whether the caller may change the server's own settings, and not only what the bot was set to allow. */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;

/**
 * How much of customers the caller sees where many of them, or all that one of them bought, stand together: what the server
 * shows in its channels, and all of it with Manage Server, which is the right to choose that.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
