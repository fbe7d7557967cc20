import type { APIUser } from "@discordjs/core";
import { apiUser } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import { createChannels } from "./channels.ts";
import { createFiles } from "./files.ts";
import { createGuilds } from "./guilds.ts";
import { createKeptMessages } from "./kept-messages.ts";
import type { Dispatch } from "./model.ts";
import { createSnowflakes } from "./snowflake.ts";

/** Everything the pretend Discord keeps: servers, channels, messages, people, files. */
export type World = ReturnType<typeof createWorld>;

export function createWorld(deps: {
  now: () => number;
  bus: Bus;
  applicationId: string;
  botName: string;
  filesUrl: () => string;
}) {
  const { now, bus, applicationId, botName, filesUrl } = deps;
  const nextId = createSnowflakes(now);
  const bot = apiUser(applicationId, botName, true);
  const users = new Map<string, APIUser>([[bot.id, bot]]);
  const dispatch: Dispatch = (t, d, guildId, intent) =>
    bus.emit("dispatch", { t, d: d as Record<string, unknown>, guildId, intent });
  const ofChannels = createChannels({ bus, bot, nextId, dispatch });
  const ofGuilds = createGuilds({ now, bus, bot, nextId, users, channels: ofChannels.channels, dispatch });

  return {
    nextId,
    bot,
    users,
    /** Those whom the bot can send no direct messages, by id. */
    blocked: new Set<string>(),
    /** How often an interaction was sent to a bot, by id: again by a resume, and to each of two sessions. */
    deliveries: new Map<string, number>(),
    dispatch,
    ...ofGuilds,
    ...ofChannels,
    addChannel: (guildId: string, name: string) => ofChannels.addChannel(ofGuilds.guildOf(guildId), name),
    ...createKeptMessages(bus),
    ...createFiles({ now, nextId, filesUrl }),
  };
}
