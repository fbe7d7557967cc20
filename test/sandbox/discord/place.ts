import { apiChannel, apiInteractionMember } from "./api-objects.ts";
import type { ChannelModel, GuildModel, MemberModel } from "./model.ts";
import { permissionsIn } from "./permissions.ts";
import type { World } from "./world.ts";

/** Where a person does something: a channel of a server that the bot is in. */
export interface Place {
  readonly guild: GuildModel;
  readonly channel: ChannelModel;
  readonly member: MemberModel;
  /** The member's user id. */
  readonly userId: string;
}

/** Throws a sentence when the channel, the bot or the person is not there. */
export function placeOf(world: World, guildId: string, channelId: string, userId: string): Place {
  const guild = world.guildOf(guildId);
  const channel = world.channelOf(channelId);
  if (channel.guildId !== guildId || channel.deleted) throw new Error(`${guild.name} has no channel ${channelId}`);
  if (!guild.present) throw new Error(`the bot is not in ${guild.name}`);
  const member = guild.members.find(({ user }) => user.id === userId);
  if (member === undefined) throw new Error(`${userId} is no member of ${guild.name}`);
  return { guild, channel, userId, member };
}

/** What every interaction says of where it happens and in which language. */
export function surroundings(world: World, { guild, channel, member }: Place, locale: string) {
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    locale,
    channel_id: channel.id,
    channel: { ...apiChannel(channel), permissions: String(permissionsIn(guild, member.user.id, channel)) },
    member: apiInteractionMember(guild, member, channel),
    app_permissions: String(permissionsIn(guild, world.bot.id, channel)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: guild.attachmentLimit ?? 10 * 1024 * 1024,
  };
}
