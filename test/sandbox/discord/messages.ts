import { type APIAllowedMentions, type APIUser, PermissionFlagsBits } from "@discordjs/core";
import { COMPONENTS_V2, type Component, EPHEMERAL, flat, LOADING } from "./components.ts";
import { isV2, type MessageBody } from "./message-limits.ts";
import type { ApiMessage, Attachment, StoredMessage, UploadedPart } from "./model.ts";
import { has, permissionsIn } from "./permissions.ts";
import { published } from "./published-components.ts";
import { timeOf } from "./snowflake.ts";
import type { World } from "./world.ts";

interface Making {
  readonly channelId: string;
  readonly body: MessageBody;
  readonly files: readonly UploadedPart[];
  readonly author?: APIUser;
  /** Default 0. 20 is an answer to a command, and 19 a reply. */
  readonly type?: number;
  /** Flags that Discord sets, besides those of the body. */
  readonly flags?: number;
  readonly ephemeralFor?: string;
  /** The mentions that Discord parses if the body has no `allowed_mentions`. */
  readonly parsedByDefault: readonly ("users" | "roles" | "everyone")[];
  readonly extra?: object;
}

/** Flags that a bot may set on its message: no embeds, silent, components only. */
const settable = (1 << 2) | (1 << 12) | COMPONENTS_V2;

function mentionsOf(world: World, making: Making, content: string, components: readonly Component[]) {
  const silent = { mentions: [] as APIUser[], mention_roles: [] as string[], mention_everyone: false };
  if (making.ephemeralFor !== undefined) return silent;
  const text = [content, ...flat(components).map((component) => component.content ?? "")].join("\n");
  const allowed: Partial<APIAllowedMentions> = making.body.allowed_mentions ?? {
    parse: [...making.parsedByDefault] as [],
  };
  const parses = (kind: string) => (allowed.parse ?? []).some((parsed) => parsed === kind);
  const ids = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].flatMap(([, id]) => id ?? []))];
  const channel = world.channelOf(making.channelId);
  const guild = channel.guildId === undefined ? undefined : world.guildOf(channel.guildId);
  const mayPingAll =
    guild !== undefined && has(permissionsIn(guild, world.bot.id, channel), PermissionFlagsBits.MentionEveryone);
  const userIds = ids(/<@!?(\d+)>/g).filter((id) => parses("users") || allowed.users?.includes(id));
  return {
    mentions: userIds.flatMap((id) => world.users.get(id) ?? []),
    mention_roles: ids(/<@&(\d+)>/g).filter((id) => {
      const role = guild?.roles.find((candidate) => candidate.id === id);
      return role !== undefined && (role.mentionable || mayPingAll) && (parses("roles") || allowed.roles?.includes(id));
    }),
    mention_everyone: mayPingAll && parses("everyone") && /@(everyone|here)/.test(text),
  };
}

function storeFiles(world: World, { channelId, body, files }: Pick<Making, "channelId" | "body" | "files">) {
  return world.storeParts(channelId, files).map((attachment, index): Attachment => {
    const field = /\d+/.exec(files[index]?.field ?? "")?.[0] ?? String(index);
    const description = body.attachments?.find(({ id }) => String(id) === field)?.description;
    return description ? { ...attachment, description } : attachment;
  });
}

const richEmbeds = (body: MessageBody) => (body.embeds ?? []).map((embed) => ({ type: "rich", ...embed }));

export function createMessage(world: World, making: Making): StoredMessage {
  const { body, channelId, author = world.bot, ephemeralFor, extra } = making;
  const attachments = storeFiles(world, making);
  const components = published(body.components ?? [], attachments);
  const content = (body.content ?? "").trim();
  const id = world.nextId();
  const message = {
    id,
    channel_id: channelId,
    type: making.type ?? 0,
    content,
    author,
    ...mentionsOf(world, making, content, components),
    attachments,
    embeds: richEmbeds(body),
    components,
    timestamp: new Date(timeOf(id)).toISOString(),
    edited_timestamp: null,
    flags: ((body.flags ?? 0) & settable) | (making.flags ?? 0) | (ephemeralFor === undefined ? 0 : EPHEMERAL),
    pinned: false,
    tts: false,
    ...(body.nonce === undefined || body.nonce === null ? {} : { nonce: body.nonce }),
    ...extra,
  } as unknown as ApiMessage;
  const { guildId } = world.channelOf(channelId);
  return world.keep({ message, channelId, guildId, ephemeralFor });
}

/** Fields that the body does not name stay. */
export function editMessage(
  world: World,
  stored: StoredMessage,
  body: MessageBody,
  files: readonly UploadedPart[],
  now: number,
): ApiMessage {
  const before = stored.message;
  const named = body.attachments;
  const kept =
    named === undefined
      ? before.attachments
      : before.attachments.filter(({ id }) => named?.some((one) => String(one.id) === id));
  const attachments = [...kept, ...storeFiles(world, { channelId: stored.channelId, body, files })];
  const flags = before.flags ?? 0;
  stored.message = {
    ...before,
    content: body.content === undefined ? before.content : (body.content ?? "").trim(),
    components: body.components === undefined ? before.components : published(body.components ?? [], attachments),
    embeds: body.embeds === undefined ? before.embeds : richEmbeds(body),
    attachments,
    flags: (flags & ~LOADING) | (isV2(body, before) ? COMPONENTS_V2 : 0) | ((body.flags ?? 0) & (1 << 2)),
    // Readers do not see the first content of a deferred answer as an edit.
    edited_timestamp: (flags & LOADING) === 0 ? new Date(now).toISOString() : null,
  } as unknown as ApiMessage;
  world.announceEdit(stored);
  return stored.message;
}
