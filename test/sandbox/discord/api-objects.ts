import type { APIUser, UserFlags } from "@discordjs/core";
import type { ChannelModel, GuildModel, MemberModel, RoleModel } from "./model.ts";
import { permissionsIn } from "./permissions.ts";

/** Discord's types have no name for "no flags". */
const noFlags = 0 as number as UserFlags;

export function apiUser(id: string, username: string, bot = false): APIUser {
  const shown = { id, username, discriminator: bot ? "4711" : "0", global_name: bot ? null : username, avatar: null };
  return { ...shown, bot, public_flags: noFlags, flags: noFlags, primary_guild: null };
}

export function apiChannel(channel: ChannelModel, lastMessageId: string | null = null): Record<string, unknown> {
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    permission_overwrites: channel.overwrites.map(({ id, type, allow, deny }) => ({
      id,
      type,
      allow: String(allow),
      deny: String(deny),
    })),
    parent_id: null,
    last_message_id: lastMessageId,
    flags: 0,
  };
}

export function apiRole({ permissions, ...role }: RoleModel): Record<string, unknown> {
  return { ...role, permissions: String(permissions), color: 0, hoist: false, flags: 0 };
}

export function apiMember(guild: GuildModel, { user, roles }: MemberModel): Record<string, unknown> {
  const joined = new Date(guild.joinedAt).toISOString();
  return { user, nick: null, roles, joined_at: joined, deaf: false, mute: false, flags: 0 };
}

/** With the member's permissions in the channel. */
export function apiInteractionMember(
  guild: GuildModel,
  member: MemberModel,
  channel: ChannelModel,
): Record<string, unknown> {
  return { ...apiMember(guild, member), permissions: String(permissionsIn(guild, member.user.id, channel)) };
}

export function apiGuild(guild: GuildModel): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    features: [],
    owner_id: guild.ownerId,
    system_channel_id: guild.systemChannelId,
    roles: guild.roles.map(apiRole),
    preferred_locale: guild.locale,
  };
}

/** As the gateway sends it when the server becomes available. */
export function gatewayGuild(guild: GuildModel, botUserId: string): Record<string, unknown> {
  return {
    ...apiGuild(guild),
    joined_at: new Date(guild.joinedAt).toISOString(),
    unavailable: false,
    member_count: guild.members.length,
    members: guild.members.filter(({ user }) => user.id === botUserId).map((member) => apiMember(guild, member)),
    channels: guild.channels.filter(({ deleted }) => !deleted).map((channel) => apiChannel(channel)),
    threads: [],
  };
}
