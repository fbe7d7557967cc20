import { type API, type APIOverwrite, type APIRole, OverwriteType, PermissionFlagsBits } from "@discordjs/core";
import { MessengerError } from "../alerts/messenger.ts";
import { failureOf } from "./rest-messenger.ts";

/** A channel, and a role that may be mentioned in it, as Discord shows them to the bot. */
export interface ChannelLook {
  /** Whether it is a channel of that server. */
  readonly isOwn: boolean;
  /** Whether everybody in the server can read it. */
  readonly isPublic: boolean;
  /** Whether this member can see it and write in it. */
  readonly isTheirs: boolean;
  /** The asked-for role, where it is one of that server. */
  readonly role?: {
    /** Everybody may mention it. */
    readonly isMentionable: boolean;
    /** Whether this member may, as the channel's own settings have it. */
    readonly isTheirs: boolean;
  };
}

/** Whose look it is, and at what. */
export interface LookAt {
  readonly guildId: string;
  readonly channelId: string;
  readonly roleId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}

/**
 * What a member is allowed in a channel (Discord: Permissions, "Permission Overwrites"). Somebody without roles and
 * without an id has what everybody has: the role @everyone, whose id is the server's.
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

/** Two requests, together. Throws a `MessengerError`: "channel_gone" or "forbidden" when the bot cannot see the channel. */
export async function lookAtChannel(api: API, at: LookAt): Promise<ChannelLook> {
  const { guildId, channelId, roleId, userId, roleIds } = at;
  const [channel, roles] = await Promise.all([api.channels.get(channelId), api.guilds.getRoles(guildId)]).catch(
    (error: unknown) => {
      throw new MessengerError(failureOf(error), error);
    },
  );
  const overwrites = "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [];
  const may = (who: { readonly userId?: string; readonly roleIds: readonly string[] }, what: bigint) =>
    (allowedIn(guildId, roles, overwrites, who) & what) === what;
  const role = roles.find(({ id }) => id === roleId);
  return {
    isOwn: "guild_id" in channel && channel.guild_id === guildId,
    isPublic: may({ roleIds: [] }, PermissionFlagsBits.ViewChannel),
    isTheirs: may({ userId, roleIds }, PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages),
    role: role && {
      isMentionable: role.mentionable,
      isTheirs: may({ userId, roleIds }, PermissionFlagsBits.MentionEveryone),
    },
  };
}
