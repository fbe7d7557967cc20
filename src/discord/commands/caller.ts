import { PermissionFlagsBits } from "@discordjs/core";
import type { Member } from "../../basics/discord-id.ts";
import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../guilds/guild.ts";

export interface Caller extends Member {
  readonly channelId: string;
  /** The parent channel, if the command was used in a thread. A thread has the permissions of its parent. */
  readonly parentId?: string;
  readonly roleIds: readonly string[];
  /** The member's permissions in this channel, as Discord computed them. */
  readonly permissions: bigint;
  readonly locale: Locale;
}

/** Whether the member has Manage Server or Administrator. */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;

/**
 * How much of the customers' data a person sees in an exported file. If this is "none", the person may not list the orders of
 * one customer either. Members with Manage Server see everything, because they may change the privacy setting anyway.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
