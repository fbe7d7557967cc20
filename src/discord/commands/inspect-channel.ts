import {
  type API,
  type APIOverwrite,
  type APIRole,
  ChannelType,
  OverwriteType,
  PermissionFlagsBits,
} from "@discordjs/core";
import type { Member } from "../../basics/discord-id.ts";
import { MessengerError, type MessengerFailure } from "../../outbox/messenger.ts";
import type { NeededPermission } from "../../views/parts/problem.ts";
import { neededPermissions } from "../publishing/invite.ts";
import { isRefusal } from "../rest/is-refusal.ts";
import { failureOf } from "../rest/rest-messenger.ts";

const seeAndWrite = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;

export interface ChannelInspection {
  readonly isOwn: boolean;
  /** Whether this is a text or announcement channel. Alerts can be posted only in such channels. */
  readonly isText: boolean;
  readonly missing: readonly NeededPermission[];
  /** True if the bot may not attach files. Only the chart of a digest needs this permission. */
  readonly lacksFiles?: true;
  /** True if the staff role that was asked for was deleted. */
  readonly lacksStaffRole?: true;
  readonly isPublic: boolean;
  /** Whether the person who asks may view the channel and write in it. */
  readonly canWrite: boolean;
  /** Undefined if no role was asked for, or if the server does not have it. */
  readonly role?: {
    readonly isMentionable: boolean;
    /** Whether the role's members are notified when the bot mentions the role in this channel. */
    readonly rings: boolean;
    /** Whether this person may mention all roles in this channel, even roles that are not mentionable. */
    readonly canMention: boolean;
  };
}

export interface InspectionTarget extends Member {
  readonly channelId: string;
  readonly roleId?: string;
  readonly staffRoleId?: string | undefined;
  readonly roleIds: readonly string[];
}

/**
 * Computes permissions in a channel (Discord: Permissions, "Permission Overwrites"). Without a user id and roles, these are the
 * permissions of @everyone. The role @everyone has the id of the server.
 */
function allowedIn(
  guildId: string,
  roles: readonly APIRole[],
  overwrites: readonly APIOverwrite[],
  { userId, roleIds }: { readonly userId?: string; readonly roleIds: readonly string[] },
): bigint {
  const theirs = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
  const base = theirs.reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return -1n;
  const applied = (permissions: bigint, changes: readonly APIOverwrite[]) => {
    const deny = changes.reduce((all, change) => all | BigInt(change.deny), 0n);
    const allow = changes.reduce((all, change) => all | BigInt(change.allow), 0n);
    return (permissions & ~deny) | allow;
  };
  const ofRoles = overwrites.filter(({ type }) => type === OverwriteType.Role);
  return [
    ofRoles.filter(({ id }) => id === guildId),
    ofRoles.filter(({ id }) => id !== guildId && roleIds.includes(id)),
    overwrites.filter(({ id, type }) => type === OverwriteType.Member && id === userId),
  ].reduce(applied, base);
}

/** If a channel is missing, Discord's 404 has an error code. A 404 without a code is not from Discord. */
const failureToFind = (error: unknown): MessengerFailure =>
  isRefusal(error) && error.status === 404 && !(Number(error.code) > 0) ? "uncertain" : failureOf(error);

async function find(api: API, { guildId, channelId }: InspectionTarget) {
  try {
    return { channel: await api.channels.get(channelId), refusal: undefined };
  } catch (refusal) {
    if (failureOf(refusal) !== "forbidden") throw refusal;
    const channel = (await api.guilds.getChannels(guildId)).find(({ id }) => id === channelId);
    if (channel === undefined) throw refusal;
    return { channel, refusal };
  }
}

/**
 * Takes three requests, or four if Discord refuses to show the channel. Throws a `MessengerError` if the channel or the roles
 * cannot be read, or if Discord refuses to show a channel that the bot has permission to view.
 */
export async function inspectChannel(api: API, botId: string, at: InspectionTarget): Promise<ChannelInspection> {
  const { guildId, roleId, staffRoleId, userId, roleIds } = at;
  const [{ channel, refusal }, roles, bot] = await Promise.all([
    find(api, at).catch((error: unknown) => {
      throw new MessengerError(failureToFind(error), error);
    }),
    // If Discord refuses both the channel and the roles, the refusal of the channel is thrown: only this refusal counts as a
    // refused attempt (refused-attempts.ts).
    api.guilds.getRoles(guildId).catch((error: unknown) => new MessengerError("uncertain", error)),
    // If the bot's roles cannot be read, no permission is reported as missing.
    api.guilds.getMember(guildId, botId).catch(() => undefined),
  ]);
  if (roles instanceof MessengerError) throw roles;
  const overwrites = "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [];
  const allowed = (who: { readonly userId?: string; readonly roleIds: readonly string[] }) =>
    allowedIn(guildId, roles, overwrites, who);
  const ofBot = bot === undefined ? -1n : allowed({ userId: botId, roleIds: bot.roles });
  const missing = neededPermissions.filter((name) => (ofBot & PermissionFlagsBits[name]) === 0n);
  // If Discord shows the channel, the bot may view it. If the computed permissions say otherwise, they are wrong, and no
  // permission is reported as missing.
  const isKnown = refusal !== undefined || !missing.includes("ViewChannel");
  const theirs = allowed({ userId, roleIds });
  const role = roles.find(({ id }) => id === roleId);
  const isText = channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement;
  if (refusal !== undefined && !missing.includes("ViewChannel")) throw new MessengerError("forbidden", refusal);
  return {
    // Discord may leave `guild_id` out if the request implies it. A text channel then counts as the server's own. This is safe,
    // because a direct message is not a text channel.
    isOwn: "guild_id" in channel && channel.guild_id !== undefined ? channel.guild_id === guildId : isText,
    isText,
    missing: isKnown ? missing : [],
    ...(isKnown && (ofBot & PermissionFlagsBits.AttachFiles) === 0n ? { lacksFiles: true } : {}),
    ...(staffRoleId !== undefined && !roles.some(({ id }) => id === staffRoleId) ? { lacksStaffRole: true } : {}),
    isPublic: (allowed({ roleIds: [] }) & PermissionFlagsBits.ViewChannel) !== 0n,
    canWrite: (theirs & seeAndWrite) === seeAndWrite,
    role: role && {
      isMentionable: role.mentionable,
      rings: role.mentionable || (ofBot & PermissionFlagsBits.MentionEveryone) !== 0n,
      canMention: (theirs & PermissionFlagsBits.MentionEveryone) !== 0n,
    },
  };
}
