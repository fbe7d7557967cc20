import { createHash } from "node:crypto";
import type { APIUser, UserFlags } from "@discordjs/core";
import type { ChannelModel, GuildModel, MemberModel, RoleModel } from "./model.ts";
import { permissionsIn } from "./permissions.ts";

/** Discord's types know no name for "none of the flags". */
const NO_FLAGS = 0 as number as UserFlags;

/** How the API shows a person, or a bot. */
export function apiUser(id: string, username: string, bot = false): APIUser {
  const shown = { id, username, discriminator: bot ? "4711" : "0", global_name: bot ? null : username, avatar: null };
  return { ...shown, bot, public_flags: NO_FLAGS, flags: NO_FLAGS, primary_guild: null };
}

/** How the API shows a channel. */
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
    topic: null,
    nsfw: false,
    last_message_id: lastMessageId,
    rate_limit_per_user: 0,
    flags: 0,
  };
}

/** How the API shows a role. */
export function apiRole(role: RoleModel): Record<string, unknown> {
  return {
    id: role.id,
    name: role.name,
    description: null,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: role.managed,
    mentionable: role.mentionable,
    flags: 0,
  };
}

/** How the API shows a member. */
export function apiMember(guild: GuildModel, member: MemberModel): Record<string, unknown> {
  return {
    user: member.user,
    nick: null,
    avatar: null,
    banner: null,
    roles: member.roles,
    joined_at: new Date(guild.joinedAt).toISOString(),
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

/** A member as an interaction shows it: with the permissions that it has in the channel. */
export function apiInteractionMember(
  guild: GuildModel,
  member: MemberModel,
  channel: ChannelModel,
): Record<string, unknown> {
  return { ...apiMember(guild, member), permissions: String(permissionsIn(guild, member.user.id, channel)) };
}

/** How the API shows a server. */
export function apiGuild(guild: GuildModel): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    features: [],
    owner_id: guild.ownerId,
    application_id: null,
    region: "us-east",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: guild.systemChannelId,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: guild.roles.map(apiRole),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.locale,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

/** The whole server, as the gateway sends it when it becomes available. */
export function gatewayGuild(guild: GuildModel, botUserId: string): Record<string, unknown> {
  return {
    ...apiGuild(guild),
    joined_at: new Date(guild.joinedAt).toISOString(),
    large: guild.members.length > 250,
    unavailable: false,
    member_count: guild.members.length,
    voice_states: [],
    members: guild.members.filter(({ user }) => user.id === botUserId).map((member) => apiMember(guild, member)),
    channels: guild.channels.filter(({ deleted }) => !deleted).map((channel) => apiChannel(channel)),
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** The signature that a file's address carries. */
export function fileSignature(path: string): string {
  return createHash("sha256").update(path).digest("hex");
}
