import { type APIUser, ChannelType, PermissionFlagsBits, type UserFlags } from "@discordjs/core";
import { apiChannel, fileSignature, gatewayGuild } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import type {
  Attachment,
  ChannelModel,
  GatewayDispatch,
  GuildModel,
  GuildSpec,
  MemberModel,
  RoleModel,
  StoredMessage,
  UploadedPart,
} from "./model.ts";
import { EVERYONE_PERMISSIONS } from "./permissions.ts";
import { createSnowflakes, snowflakeAt } from "./snowflake.ts";

/** Gateway intents by name (docs: Gateway, "List of Intents"). */
export const INTENT = { guilds: 1 << 0, guildMessages: 1 << 9, directMessages: 1 << 12 } as const;

/** Everything the pretend Discord keeps: servers, channels, messages, people, files. */
export type World = ReturnType<typeof createWorld>;

const YEAR_MS = 365 * 24 * 3_600_000;

const DEFAULT_PEOPLE: NonNullable<GuildSpec["people"]> = [
  { name: "owner" },
  { name: "staff", roles: ["Staff"] },
  { name: "member" },
];

function byName(things: readonly { id: string; name: string }[], what: string) {
  return (name: string) => {
    const thing = things.find((candidate) => candidate.name === name);
    if (thing === undefined) throw new Error(`no ${what} called ${name} here`);
    return thing.id;
  };
}

/** Discord's types know no name for "none of the flags". */
const NO_FLAGS = 0 as number as UserFlags;

function userOf(id: string, username: string, bot = false): APIUser {
  const shown = { id, username, discriminator: bot ? "4711" : "0", global_name: bot ? null : username, avatar: null };
  return { ...shown, bot, public_flags: NO_FLAGS, flags: NO_FLAGS, primary_guild: null };
}

export function createWorld(deps: {
  now: () => number;
  bus: Bus;
  applicationId: string;
  botName: string;
  filesUrl: () => string;
}) {
  const { now, bus, applicationId, filesUrl } = deps;
  const nextId = createSnowflakes(now);
  const bot = userOf(applicationId, deps.botName, true);
  const guilds = new Map<string, GuildModel>();
  const channels = new Map<string, ChannelModel>();
  const messages = new Map<string, StoredMessage[]>();
  const users = new Map<string, APIUser>([[bot.id, bot]]);
  const files = new Map<string, { bytes: Buffer; contentType: string }>();
  const attachments = new Map<string, Attachment>();
  const blocked = new Set<string>();
  const oldest = now() - YEAR_MS;

  const dispatch = (t: string, d: object, guildId: string | undefined, intent: number) =>
    bus.emit("dispatch", { t, d: d as Record<string, unknown>, guildId, intent } satisfies GatewayDispatch);

  const memberOf = (guild: GuildModel, userId: string): MemberModel => {
    const member = guild.members.find(({ user }) => user.id === userId);
    if (member === undefined) throw new Error(`${userId} is no member of ${guild.name}`);
    return member;
  };

  const storeFile = (channelId: string, name: string, bytes: Buffer, contentType: string): Attachment => {
    const id = nextId();
    const safe = name.replaceAll(/[^\w.-]/g, "_") || "file";
    const path = `/attachments/${channelId}/${id}/${safe}`;
    files.set(path, { bytes, contentType });
    const expires = Math.floor(now() / 1000 + 86_400).toString(16);
    const url = `${filesUrl()}${path}?ex=${expires}&is=${Math.floor(now() / 1000).toString(16)}&hm=${fileSignature(path)}`;
    const image = contentType.startsWith("image/") ? { width: 64, height: 64 } : {};
    const attachment: Attachment = {
      id,
      filename: safe,
      ...(safe === name ? {} : { title: name }),
      size: bytes.length,
      url,
      proxy_url: url,
      content_type: contentType,
      ...image,
    };
    attachments.set(id, attachment);
    return attachment;
  };

  const addGuild = (spec: GuildSpec = {}): GuildModel => {
    // Servers get ids of different milliseconds, for the millisecond decides the shard.
    const id = spec.id ?? snowflakeAt(oldest + guilds.size);
    const roleNames = spec.roles ?? [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }];
    const everyone: RoleModel = {
      id,
      name: "@everyone",
      permissions: EVERYONE_PERMISSIONS,
      mentionable: false,
      position: 0,
      managed: false,
    };
    const botRole: RoleModel = {
      ...everyone,
      id: nextId(),
      name: bot.username,
      permissions: 0n,
      position: 1,
      managed: true,
    };
    const roles = [everyone, botRole].concat(
      roleNames.map(({ name, id: roleId = nextId(), permissions = 0n, mentionable = true }, index) => ({
        id: roleId,
        name,
        permissions,
        mentionable,
        position: index + 2,
        managed: false,
      })),
    );
    const role = byName(roles, "role");
    const members = (spec.people ?? DEFAULT_PEOPLE).map(
      ({ name, id: userId = nextId(), roles: own = [], locale = "en-US" }) => {
        const user = users.get(userId) ?? userOf(userId, name);
        users.set(user.id, user);
        return { user, locale, roles: own.map(role) };
      },
    );
    const ownerId = members[0]?.user.id;
    if (ownerId === undefined) throw new Error("a server needs an owner: the first of its people");
    members.push({ user: bot, locale: "en-US", roles: [botRole.id] });
    const own = (spec.channels ?? ["new-orders", "staff"]).map(
      (channel, position): ChannelModel => ({
        ...(typeof channel === "string" ? { id: nextId(), name: channel } : channel),
        type: ChannelType.GuildText,
        guildId: id,
        position,
        overwrites: [],
        deleted: false,
      }),
    );
    const guild: GuildModel = {
      id,
      name: spec.name ?? `Pretend store ${guilds.size + 1}`,
      ownerId,
      locale: spec.locale ?? "en-US",
      joinedAt: spec.joinedAt ?? oldest,
      systemChannelId: own.find(({ name }) => name === spec.systemChannel)?.id ?? null,
      channels: own,
      roles,
      members,
      unavailable: false,
      present: true,
      channel: byName(own, "channel"),
      role,
      person: byName(
        members.map(({ user }) => ({ id: user.id, name: user.username })),
        "person",
      ),
    };
    guilds.set(id, guild);
    for (const channel of own) channels.set(channel.id, channel);
    dispatch("GUILD_CREATE", gatewayGuild(guild, bot.id), id, INTENT.guilds);
    bus.emit("world", { guildId: id });
    return guild;
  };

  const guildOf = (id: string): GuildModel => {
    const guild = guilds.get(id);
    if (guild === undefined) throw new Error(`there is no server ${id}`);
    return guild;
  };
  const channelOf = (id: string): ChannelModel => {
    const channel = channels.get(id);
    if (channel === undefined) throw new Error(`there is no channel ${id}`);
    return channel;
  };

  return {
    nextId,
    bot,
    guilds,
    channels,
    messages,
    users,
    files,
    attachments,
    blocked,
    dispatch,
    memberOf,
    guildOf,
    channelOf,
    addGuild,
    storeFile,

    /** Keeps the parts of a request as attachments of a channel, with the descriptions that the body gives. */
    storeParts(channelId: string, parts: readonly UploadedPart[]): Attachment[] {
      return parts.map((part) => storeFile(channelId, part.name, part.bytes, part.contentType));
    },

    removeGuild(id: string): void {
      guildOf(id).present = false;
      dispatch("GUILD_DELETE", { id }, id, INTENT.guilds);
      bus.emit("world", { guildId: id });
    },

    /** The bot is invited again. */
    returnGuild(id: string): void {
      const guild = guildOf(id);
      guild.present = true;
      dispatch("GUILD_CREATE", gatewayGuild(guild, bot.id), id, INTENT.guilds);
      bus.emit("world", { guildId: id });
    },

    setGuildUnavailable(id: string, unavailable: boolean): void {
      const guild = guildOf(id);
      guild.unavailable = unavailable;
      if (unavailable) dispatch("GUILD_DELETE", { id, unavailable: true }, id, INTENT.guilds);
      else dispatch("GUILD_CREATE", gatewayGuild(guild, bot.id), id, INTENT.guilds);
      bus.emit("world", { guildId: id });
    },

    addChannel(guildId: string, name: string): string {
      const guild = guildOf(guildId);
      const channel: ChannelModel = {
        id: nextId(),
        name,
        type: ChannelType.GuildText,
        guildId,
        position: guild.channels.length,
        overwrites: [],
        deleted: false,
      };
      guild.channels.push(channel);
      channels.set(channel.id, channel);
      dispatch("CHANNEL_CREATE", apiChannel(channel), guildId, INTENT.guilds);
      bus.emit("world", { guildId });
      return channel.id;
    },

    setChannelDeleted(id: string, deleted: boolean): void {
      const channel = channelOf(id);
      channel.deleted = deleted;
      dispatch(deleted ? "CHANNEL_DELETE" : "CHANNEL_CREATE", apiChannel(channel), channel.guildId, INTENT.guilds);
      bus.emit("world", { guildId: channel.guildId });
    },

    setBotPermissions(channelId: string, { allow = 0n, deny = 0n }: { allow?: bigint; deny?: bigint }): void {
      const channel = channelOf(channelId);
      const others = channel.overwrites.filter(({ id }) => id !== bot.id);
      channel.overwrites = [...others, { id: bot.id, type: 1, allow, deny }];
      dispatch("CHANNEL_UPDATE", apiChannel(channel), channel.guildId, INTENT.guilds);
      bus.emit("world", { guildId: channel.guildId });
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

    keep(stored: StoredMessage): StoredMessage {
      const list = messages.get(stored.channelId) ?? [];
      list.push(stored);
      messages.set(stored.channelId, list);
      bus.emit("message", stored);
      return stored;
    },

    announce(what: "edit" | "delete", stored: StoredMessage): void {
      bus.emit(what, stored);
    },

    /** A message that is there, by id, ephemeral or not. */
    message(channelId: string, id: string): StoredMessage | undefined {
      return messages.get(channelId)?.findLast(({ message, deleted }) => message.id === id && !deleted);
    },

    /** What everybody in a channel sees, oldest first. */
    publicMessages(channelId: string): StoredMessage[] {
      return (messages.get(channelId) ?? []).filter(
        ({ deleted, ephemeralFor }) => !deleted && ephemeralFor === undefined,
      );
    },
  };
}
