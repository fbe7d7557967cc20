import { apiChannel, apiInteractionMember, apiRole } from "./api-objects.ts";
import type { Attachment, ChannelModel, GuildModel, MemberModel } from "./model.ts";
import { permissionsIn } from "./permissions.ts";
import type { World } from "./world.ts";

/** Where a member does something. The bot is in the server. */
export interface Place {
  readonly guild: GuildModel;
  readonly channel: ChannelModel;
  readonly member: MemberModel;
  readonly userId: string;
}

/** Throws a sentence if the channel, the bot or the person is not there. */
export function placeOf(world: World, guildId: string, channelId: string, userId: string): Place {
  const guild = world.guildOf(guildId);
  const channel = world.channelOf(channelId);
  if (channel.guildId !== guildId || channel.deleted) throw new Error(`${guild.name} has no channel ${channelId}`);
  if (!guild.present) throw new Error(`the bot is not in ${guild.name}`);
  const member = guild.members.find(({ user }) => user.id === userId);
  if (member === undefined) throw new Error(`${userId} is no member of ${guild.name}`);
  return { guild, channel, userId, member };
}

/** Where an interaction happens, by whom, and in which language. */
export function surroundings(world: World, { guild, channel, member, userId }: Place, locale: string) {
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    locale,
    channel_id: channel.id,
    channel: { ...apiChannel(channel), permissions: String(permissionsIn(guild, userId, channel)) },
    member: apiInteractionMember(guild, member, channel),
    app_permissions: String(permissionsIn(guild, world.bot.id, channel)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: guild.attachmentLimit ?? 10 * 1024 * 1024,
  };
}

/** Objects that an interaction refers to, by id. */
export interface Resolved {
  roles?: Record<string, unknown>;
  channels?: Record<string, unknown>;
  attachments?: Record<string, unknown>;
}

export const resolvedIn = (resolved: Resolved) => (Object.keys(resolved).length > 0 ? { resolved } : {});

/** Returns false if the server has no such role. */
export function resolveRole({ guild }: Place, id: string, into: Resolved): boolean {
  const role = guild.roles.find((candidate) => candidate.id === id);
  if (role === undefined) return false;
  into.roles = { ...into.roles, [id]: apiRole(role) };
  return true;
}

/** Adds the channel with the person's permissions there. Returns false if the server has no such channel. */
export function resolveChannel(at: Place, id: string, into: Resolved, types: readonly number[] = []): boolean {
  const channel = at.guild.channels.find((candidate) => candidate.id === id && !candidate.deleted);
  if (channel === undefined || (types.length > 0 && !types.includes(channel.type))) return false;
  const { permission_overwrites: _, ...bare } = apiChannel(channel);
  const permissions = String(permissionsIn(at.guild, at.userId, channel));
  into.channels = { ...into.channels, [id]: { ...bare, permissions } };
  return true;
}

export function resolveFile(world: World, file: unknown, into: Resolved): file is Attachment {
  if (typeof file !== "object" || file === null || !("id" in file) || !world.attachments.has(String(file.id)))
    return false;
  into.attachments = { ...into.attachments, [String(file.id)]: { ...file, ephemeral: true } };
  return true;
}
