import { createHash } from "node:crypto";
import { type APIUser, ChannelType } from "@discordjs/core";
import { apiChannel, apiUser, gatewayGuild } from "./api-objects.ts";
import { makeGuild } from "./make-guild.ts";
import type {
  Attachment,
  ChannelModel,
  DiscordBus,
  GuildModel,
  GuildSpec,
  StoredMessage,
  UploadedPart,
} from "./model.ts";
import { createSnowflakes, snowflakeAt, timeOf } from "./snowflake.ts";

const yearMs = 365 * 24 * 3_600_000;

/** Everything that the simulated Discord keeps: servers, channels, messages, people, files. */
export type World = ReturnType<typeof createWorld>;

/** Sends an event to the shard of the server, or to shard 0. */
type Dispatch = (t: string, d: object, guildId?: string) => void;

export function createWorld(deps: {
  now: () => number;
  bus: DiscordBus;
  applicationId: string;
  botName: string;
  filesUrl: () => string;
}) {
  const { now, bus, applicationId, botName, filesUrl } = deps;
  const nextId = createSnowflakes(now);
  const bot = apiUser(applicationId, botName, true);
  const users = new Map<string, APIUser>([[bot.id, bot]]);
  const dispatch: Dispatch = (t, d, guildId) =>
    bus.emit("dispatch", { t, d: d as Record<string, unknown>, ...(guildId === undefined ? {} : { guildId }) });
  const ofChannels = createChannels({ bus, bot, nextId, dispatch });
  const ofGuilds = createGuilds({ now, bus, bot, nextId, users, channels: ofChannels.channels, dispatch });

  return {
    nextId,
    bot,
    users,
    /** How often each interaction was sent to a bot. A resume sends it again, and each of two sessions gets it. */
    deliveries: new Map<string, number>(),
    dispatch,
    ...ofGuilds,
    ...ofChannels,
    ...createMessages(bus),
    ...createFiles(now, nextId, filesUrl),
  };
}

function createGuilds(deps: {
  now: () => number;
  bus: DiscordBus;
  bot: APIUser;
  nextId: () => string;
  users: Map<string, APIUser>;
  channels: Map<string, ChannelModel>;
  dispatch: Dispatch;
}) {
  const { now, bus, bot, nextId, users, channels, dispatch } = deps;
  const guilds = new Map<string, GuildModel>();
  const oldest = now() - yearMs;

  function guildOf(id: string): GuildModel {
    const guild = guilds.get(id);
    if (guild === undefined) throw new Error(`there is no server ${id}`);
    return guild;
  }
  function tell(t: string, id: string, payload: object): void {
    dispatch(t, payload, id);
    bus.emit("world", { guildId: id });
  }
  const tellArrival = (guild: GuildModel) => tell("GUILD_CREATE", guild.id, gatewayGuild(guild, bot.id));

  return {
    guilds,
    guildOf,

    addGuild(spec: GuildSpec = {}): GuildModel {
      // The id of each server has a different millisecond, because the millisecond decides the shard.
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

    setGuildUnavailable(id: string, unavailable = true): void {
      const guild = guildOf(id);
      guild.unavailable = unavailable;
      if (unavailable) tell("GUILD_DELETE", id, { id, unavailable: true });
      else tellArrival(guild);
    },
  };
}

function createChannels(deps: { bus: DiscordBus; bot: APIUser; nextId: () => string; dispatch: Dispatch }) {
  const { bus, bot, nextId, dispatch } = deps;
  const channels = new Map<string, ChannelModel>();

  function channelOf(id: string): ChannelModel {
    const channel = channels.get(id);
    if (channel === undefined) throw new Error(`there is no channel ${id}`);
    return channel;
  }
  function tell(t: string, channel: ChannelModel): void {
    dispatch(t, apiChannel(channel), channel.guildId);
    bus.emit("world", { guildId: channel.guildId });
  }

  return {
    channels,
    channelOf,

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

    directChannel(userId: string): ChannelModel {
      for (const channel of channels.values()) if (channel.recipientId === userId) return channel;
      const type = ChannelType.DM;
      const channel = {
        id: nextId(),
        name: "",
        type,
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

/** Messages by channel, oldest first. */
function createMessages(bus: DiscordBus) {
  const messages = new Map<string, StoredMessage[]>();

  return {
    messages,

    keep(stored: StoredMessage): StoredMessage {
      const list = messages.get(stored.channelId) ?? [];
      list.push(stored);
      messages.set(stored.channelId, list);
      bus.emit("message", stored);
      return stored;
    },

    announceEdit: (stored: StoredMessage): void => bus.emit("edit", stored),

    /** `before`: epoch ms. */
    forgetMessages(before: number): void {
      for (const [channelId, list] of messages) {
        messages.set(
          channelId,
          list.filter(({ message }) => timeOf(message.id) >= before),
        );
      }
    },

    /** Also finds ephemeral messages. */
    message: (channelId: string, id: string): StoredMessage | undefined =>
      messages.get(channelId)?.findLast(({ message }) => message.id === id),

    publicMessages: (channelId: string): StoredMessage[] =>
      (messages.get(channelId) ?? []).filter(({ ephemeralFor }) => ephemeralFor === undefined),
  };
}

/** Uploaded files by path, and as attachments by id. */
function createFiles(now: () => number, nextId: () => string, filesUrl: () => string) {
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const attachments = new Map<string, Attachment>();

  function storeFile(channelId: string, name: string, bytes: Buffer, contentType: string): Attachment {
    const id = nextId();
    const safe = name.replaceAll(/[^\w.-]/g, "_") || "file";
    const path = `/attachments/${channelId}/${id}/${safe}`;
    files.set(path, { bytes, contentType });
    const expires = Math.floor(now() / 1_000 + 86_400).toString(16);
    const url = `${filesUrl()}${path}?ex=${expires}&hm=${createHash("sha256").update(path).digest("hex")}`;
    const attachment: Attachment = {
      id,
      filename: safe,
      ...(safe === name ? {} : { title: name }),
      size: bytes.length,
      url,
      proxy_url: url,
      content_type: contentType,
      ...(contentType.startsWith("image/") ? { width: 64, height: 64 } : {}),
    };
    attachments.set(id, attachment);
    return attachment;
  }

  return {
    files,
    attachments,
    storeFile,
    storeParts: (channelId: string, parts: readonly UploadedPart[]): Attachment[] =>
      parts.map((part) => storeFile(channelId, part.name, part.bytes, part.contentType)),
  };
}
