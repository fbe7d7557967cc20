import { PermissionFlagsBits } from "@discordjs/core";
import type { Locale } from "../../basics/locale.ts";
import type { Privacy } from "../../views/parts/masked-customer.ts";

/** The member who acts, the place, and the member's language. */
export interface Caller {
  readonly guildId: string;
  readonly channelId: string;
  /** The parent channel of a thread. A thread has the permissions of its parent. */
  readonly parentId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** The member's permissions in this channel, as Discord computed them. */
  readonly permissions: bigint;
  readonly locale: Locale;
}

/**
 * Whether the caller has Manage Server (or Administrator), with which Discord lets members change the server's own
 * settings.
 */
export const isManager = ({ permissions }: Pick<Caller, "permissions">): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;

/**
 * How much of customers the caller sees in answers with many customers, or with all orders of one. With Manage Server
 * it is everything, because that permission includes the privacy setting. Others see what the server shows in its
 * channels.
 */
export const customersFor = (caller: Pick<Caller, "permissions">, privacy: Privacy): Privacy =>
  isManager(caller) ? "full" : privacy;
