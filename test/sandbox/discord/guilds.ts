import type { APIUser } from "@discordjs/core";
import { gatewayGuild } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import { INTENT } from "./intents.ts";
import { makeGuild } from "./make-guild.ts";
import type { ChannelModel, Dispatch, GuildModel, GuildSpec } from "./model.ts";
import { snowflakeAt } from "./snowflake.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

/** The servers, and how the bot comes to them and leaves them. Their channels are added to `channels`. */
export function createGuilds(deps: {
  now: () => number;
  bus: Bus;
  bot: APIUser;
  nextId: () => string;
  users: Map<string, APIUser>;
  channels: Map<string, ChannelModel>;
  dispatch: Dispatch;
}) {
  const { now, bus, bot, nextId, users, channels, dispatch } = deps;
  const guilds = new Map<string, GuildModel>();
  const oldest = now() - YEAR_MS;

  const guildOf = (id: string): GuildModel => {
    const guild = guilds.get(id);
    if (guild === undefined) throw new Error(`there is no server ${id}`);
    return guild;
  };
  const tell = (t: string, id: string, payload: object): void => {
    dispatch(t, payload, id, INTENT.guilds);
    bus.emit("world", { guildId: id });
  };
  const tellArrival = (guild: GuildModel): void => tell("GUILD_CREATE", guild.id, gatewayGuild(guild, bot.id));

  return {
    guilds,
    guildOf,

    addGuild(spec: GuildSpec = {}): GuildModel {
      // Servers get ids of different milliseconds, for the millisecond decides the shard.
      const id = spec.id ?? snowflakeAt(oldest + guilds.size);
      const name = `Pretend store ${guilds.size + 1}`;
      const guild = makeGuild(spec, { id, name, joinedAt: oldest, bot, nextId, users });
      guilds.set(id, guild);
      for (const channel of guild.channels) channels.set(channel.id, channel);
      tellArrival(guild);
      return guild;
    },

    removeGuild(id: string): void {
      guildOf(id).present = false;
      tell("GUILD_DELETE", id, { id });
    },

    /** The bot is invited again. */
    returnGuild(id: string): void {
      const guild = guildOf(id);
      guild.present = true;
      tellArrival(guild);
    },

    setGuildUnavailable(id: string, unavailable: boolean): void {
      const guild = guildOf(id);
      guild.unavailable = unavailable;
      if (unavailable) tell("GUILD_DELETE", id, { id, unavailable: true });
      else tellArrival(guild);
    },
  };
}
