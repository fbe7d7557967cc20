import { type APIUser, ChannelType } from "@discordjs/core";
import { apiChannel } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import { INTENT } from "./intents.ts";
import type { ChannelModel, Dispatch, GuildModel } from "./model.ts";

/** Channels of all servers and of direct messages, and what people do to them. */
export function createChannels(deps: { bus: Bus; bot: APIUser; nextId: () => string; dispatch: Dispatch }) {
  const { bus, bot, nextId, dispatch } = deps;
  const channels = new Map<string, ChannelModel>();

  const channelOf = (id: string): ChannelModel => {
    const channel = channels.get(id);
    if (channel === undefined) throw new Error(`there is no channel ${id}`);
    return channel;
  };
  const tell = (t: string, channel: ChannelModel): void => {
    dispatch(t, apiChannel(channel), channel.guildId, INTENT.guilds);
    bus.emit("world", { guildId: channel.guildId });
  };

  return {
    channels,
    channelOf,

    addChannel(guild: GuildModel, name: string): string {
      const channel: ChannelModel = {
        id: nextId(),
        name,
        type: ChannelType.GuildText,
        guildId: guild.id,
        position: guild.channels.length,
        overwrites: [],
        deleted: false,
      };
      guild.channels.push(channel);
      channels.set(channel.id, channel);
      tell("CHANNEL_CREATE", channel);
      return channel.id;
    },

    setChannelDeleted(id: string, deleted: boolean): void {
      const channel = channelOf(id);
      channel.deleted = deleted;
      tell(deleted ? "CHANNEL_DELETE" : "CHANNEL_CREATE", channel);
    },

    setBotPermissions(channelId: string, { allow = 0n, deny = 0n }: { allow?: bigint; deny?: bigint }): void {
      const channel = channelOf(channelId);
      const others = channel.overwrites.filter(({ id }) => id !== bot.id);
      channel.overwrites = [...others, { id: bot.id, type: 1, allow, deny }];
      tell("CHANNEL_UPDATE", channel);
    },

    /** The direct message channel between the bot and a person, opened at the first call. */
    directChannel(userId: string): ChannelModel {
      for (const channel of channels.values()) if (channel.recipientId === userId) return channel;
      const channel: ChannelModel = {
        id: nextId(),
        name: "",
        type: ChannelType.DM,
        recipientId: userId,
        position: 0,
        overwrites: [],
        deleted: false,
      };
      channels.set(channel.id, channel);
      return channel;
    },
  };
}
