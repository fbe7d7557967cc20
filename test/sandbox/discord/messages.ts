import { type APIAllowedMentions, type APIUser, PermissionFlagsBits } from "@discordjs/core";
import { COMPONENTS_V2, type Component, EPHEMERAL, flat, LOADING, TYPE } from "./components.ts";
import { INTENT } from "./intents.ts";
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
  /** Message type; default 0, 20 for the answer to a command, 19 for a reply. */
  readonly type?: number;
  /** Flags beside those of the body that are Discord's to set. */
  readonly flags?: number;
  readonly ephemeralFor?: string;
  /** What parses when the body does not say. */
  readonly parsedByDefault: NonNullable<APIAllowedMentions["parse"]>;
  readonly extra?: Partial<ApiMessage>;
}

/** Flags that a bot may set on a message of its own: no embeds, silent, voice, components only. */
const SETTABLE = (1 << 2) | (1 << 12) | (1 << 13) | COMPONENTS_V2;

/** All text of a message in which a mention can stand. */
function mentioningText(content: string, components: readonly Component[]): string {
  const texts = flat(components).flatMap((component) =>
    component.type === TYPE.textDisplay ? (component.content ?? "") : "",
  );
  return [content, ...texts].join("\n");
}

function mentionsOf(world: World, making: Making, content: string, components: readonly Component[]) {
  const silent = { mentions: [] as APIUser[], mention_roles: [] as string[], mention_everyone: false };
  if (making.ephemeralFor !== undefined) return silent;
  const text = mentioningText(content, components);
  const allowed = making.body.allowed_mentions ?? { parse: making.parsedByDefault };
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

function withDescriptions(
  stored: readonly Attachment[],
  body: MessageBody,
  files: readonly UploadedPart[],
): Attachment[] {
  return stored.map((attachment, index) => {
    const field = /\d+/.exec(files[index]?.field ?? "")?.[0] ?? String(index);
    const description = body.attachments?.find(({ id }) => String(id) === field)?.description;
    return description ? { ...attachment, description } : attachment;
  });
}

/** Makes and keeps a message, and tells the gateway. */
export function createMessage(world: World, making: Making): StoredMessage {
  const { body, channelId, files, author = world.bot, ephemeralFor, extra = {} } = making;
  const channel = world.channelOf(channelId);
  const attachments = withDescriptions(world.storeParts(channelId, files), body, files);
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
    embeds: (body.embeds ?? []).map((embed) => ({ type: "rich", ...embed })),
    components,
    timestamp: new Date(timeOf(id)).toISOString(),
    edited_timestamp: null,
    flags: ((body.flags ?? 0) & SETTABLE) | (making.flags ?? 0) | (ephemeralFor === undefined ? 0 : EPHEMERAL),
    pinned: false,
    tts: body.tts ?? false,
    ...(body.nonce === undefined || body.nonce === null ? {} : { nonce: body.nonce }),
    ...extra,
  } as unknown as ApiMessage;
  const stored: StoredMessage = {
    message,
    channelId,
    guildId: channel.guildId,
    ephemeralFor,
    nonce: body.nonce === undefined || body.nonce === null ? undefined : String(body.nonce),
    deleted: false,
  };
  world.keep(stored);
  tell(world, "MESSAGE_CREATE", stored, message);
  return stored;
}

/** Applies an edit: what the body does not name stays. */
export function editMessage(
  world: World,
  stored: StoredMessage,
  body: MessageBody,
  files: readonly UploadedPart[],
  now: number,
): ApiMessage {
  const before = stored.message;
  const added = withDescriptions(world.storeParts(stored.channelId, files), body, files);
  const kept = body.attachments
    ? before.attachments.filter(({ id }) => body.attachments?.some((named) => String(named.id) === id))
    : body.attachments === null
      ? []
      : before.attachments;
  const attachments = [...kept, ...added];
  const wasLoading = ((before.flags ?? 0) & LOADING) !== 0;
  const v2 = isV2(body, before) ? COMPONENTS_V2 : 0;
  const content = body.content === undefined ? before.content : (body.content ?? "").trim();
  const components = body.components === undefined ? before.components : published(body.components ?? [], attachments);
  const message = {
    ...before,
    content,
    components,
    embeds:
      body.embeds === undefined ? before.embeds : (body.embeds ?? []).map((embed) => ({ type: "rich", ...embed })),
    attachments,
    flags: ((before.flags ?? 0) & ~LOADING) | v2 | ((body.flags ?? 0) & (1 << 2)),
    // The first filling of a deferred answer is no edit to its readers.
    edited_timestamp: wasLoading ? null : new Date(now).toISOString(),
  } as unknown as ApiMessage;
  stored.message = message;
  world.announce("edit", stored);
  tell(world, "MESSAGE_UPDATE", stored, message);
  return message;
}

/** Takes a message away and tells the gateway. */
export function deleteMessage(world: World, stored: StoredMessage): void {
  stored.deleted = true;
  world.announce("delete", stored);
  tell(world, "MESSAGE_DELETE", stored, { id: stored.message.id, channel_id: stored.channelId });
}

function tell(world: World, t: string, stored: StoredMessage, payload: object): void {
  if (stored.ephemeralFor !== undefined) return;
  const { guildId } = stored;
  const intent = guildId === undefined ? INTENT.directMessages : INTENT.guildMessages;
  world.dispatch(t, guildId === undefined ? payload : { ...payload, guild_id: guildId }, guildId, intent);
}
