import { PermissionFlagsBits } from "@discordjs/core";
import { apiChannel } from "./api-objects.ts";
import { apiErrors, invalidForm, unknownReference } from "./errors.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { createMessage, editMessage } from "./messages.ts";
import type { ChannelModel, StoredMessage } from "./model.ts";
import { has, permissionsIn } from "./permissions.ts";
import { type ApiReply, type ApiRequest, ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

/** A repeated nonce returns the first message for this long ("a few minutes", docs: Create Message). */
const nonceMs = 5 * 60_000;

function reachChannel(world: World, request: ApiRequest, wanted = 0n): ChannelModel {
  const channel = world.channels.get(request.params.channelId ?? "");
  if (channel === undefined || channel.deleted) throw apiErrors.unknownChannel();
  if (channel.guildId === undefined) return channel;
  const guild = world.guildOf(channel.guildId);
  if (!guild.present) throw apiErrors.missingAccess();
  const permissions = permissionsIn(guild, world.bot.id, channel);
  if (!has(permissions, PermissionFlagsBits.ViewChannel)) throw apiErrors.missingAccess();
  if (!has(permissions, wanted)) throw apiErrors.missingPermissions();
  return channel;
}

function findMessage(world: World, request: ApiRequest, channel: ChannelModel): StoredMessage {
  const stored = world.message(channel.id, request.params.messageId ?? "");
  if (stored === undefined || stored.ephemeralFor !== undefined) throw apiErrors.unknownMessage();
  return stored;
}

function directChannel(world: World, channel: ChannelModel, last: string | null) {
  const recipient = world.users.get(channel.recipientId ?? "");
  const recipients = recipient ? [recipient] : [];
  return { id: channel.id, type: channel.type, last_message_id: last, flags: 0, recipients };
}

function readChannel(world: World, request: ApiRequest): ApiReply {
  const channel = reachChannel(world, request);
  const last = world.publicMessages(channel.id).at(-1)?.message.id ?? null;
  return ok(channel.guildId === undefined ? directChannel(world, channel, last) : apiChannel(channel, last));
}

function openDirectChannel(world: World, request: ApiRequest): ApiReply {
  const { recipient_id } = request.check<{ recipient_id?: string }>("CreatePrivateChannelRequestSchema", () => []);
  if (recipient_id === undefined || !world.users.has(recipient_id)) throw apiErrors.unknownUser();
  return ok(directChannel(world, world.directChannel(recipient_id), null));
}

/** Docs: Create Message: a reply needs Read Message History. If the replied-to message is gone, Discord refuses by default. */
function replyTo(world: World, request: ApiRequest, channel: ChannelModel, { message_reference: to }: MessageBody) {
  if (!to) return {};
  reachChannel(world, request, PermissionFlagsBits.ReadMessageHistory);
  const first = world.publicMessages(channel.id).find(({ message }) => message.id === to.message_id);
  if (first === undefined && to.fail_if_not_exists !== false) throw unknownReference();
  if (first === undefined) return {};
  const place = { type: 0, channel_id: channel.id, message_id: first.message.id };
  return { type: 19, extra: { message_reference: place, referenced_message: first.message } };
}

function createPost(world: World, now: () => number): (request: ApiRequest) => ApiReply {
  const nonces = new Map<string, { stored: StoredMessage; at: number }>();
  return (request) => {
    const sending = PermissionFlagsBits.SendMessages;
    const wanted = request.files.length > 0 ? sending | PermissionFlagsBits.AttachFiles : sending;
    const channel = reachChannel(world, request, wanted);
    const body = request.check<MessageBody>(
      "MessageCreateRequestSchema",
      (message) => messageProblems(message, request.files),
      request.body ?? {},
    );
    const key = `${channel.id} ${body.nonce}`;
    const first = body.enforce_nonce ? nonces.get(key) : undefined;
    // A message that `forget` removed counts as never posted.
    const isKept = first !== undefined && world.messages.get(channel.id)?.includes(first.stored);
    if (isKept && first.at + nonceMs > now()) return ok(first.stored.message);
    const stored = createMessage(world, {
      channelId: channel.id,
      body,
      files: request.files,
      parsedByDefault: ["users", "roles", "everyone"],
      ...replyTo(world, request, channel, body),
    });
    if (body.nonce !== undefined && body.nonce !== null) {
      for (const [old, { at }] of nonces) if (at + nonceMs <= now()) nonces.delete(old);
      nonces.set(key, { stored, at: now() });
    }
    return ok(stored.message);
  };
}

function list(world: World, request: ApiRequest): ApiReply {
  const limit = Number(request.query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    const message = "int value should be between 1 and 100.";
    throw invalidForm([{ path: ["limit"], code: "NUMBER_TYPE_MAX", message }]);
  }
  const channel = reachChannel(world, request);
  const guild = channel.guildId === undefined ? undefined : world.guildOf(channel.guildId);
  const history = PermissionFlagsBits.ReadMessageHistory;
  // Docs: Get Channel Messages: without READ_MESSAGE_HISTORY no messages are returned.
  if (guild !== undefined && !has(permissionsIn(guild, world.bot.id, channel), history)) return ok([]);
  const before = request.query.get("before");
  const all = world.publicMessages(channel.id).map(({ message }) => message);
  const older = before === null ? all : all.filter(({ id }) => BigInt(id) < BigInt(before));
  return ok(older.slice(-limit).reverse());
}

function edit(world: World, request: ApiRequest, now: number): ApiReply {
  const stored = findMessage(world, request, reachChannel(world, request));
  if (stored.message.author.id !== world.bot.id) throw apiErrors.notAuthor();
  const body = request.check<MessageBody>(
    "MessageEditRequestPartialSchema",
    (message) => messageProblems(message, request.files, stored.message),
    request.body ?? {},
  );
  return ok(editMessage(world, stored, body, request.files, now));
}

export function channelRoutes(world: World, now: () => number): Route[] {
  const read = (request: ApiRequest) => {
    const channel = reachChannel(world, request, PermissionFlagsBits.ReadMessageHistory);
    return ok(findMessage(world, request, channel).message);
  };
  const route = (method: Route["method"], path: string, limit: number, windowMs: number, handle: Route["handle"]) =>
    ({ method, path, auth: "bot", bucket: { limit, windowMs }, handle }) satisfies Route;
  const messages = "/channels/:channelId/messages";
  return [
    route("GET", "/channels/:channelId", 50, 10_000, (request) => readChannel(world, request)),
    route("POST", "/users/@me/channels", 10, 10_000, (request) => openDirectChannel(world, request)),
    route("POST", messages, 5, 5_000, createPost(world, now)),
    route("GET", messages, 10, 5_000, (request) => list(world, request)),
    route("GET", `${messages}/:messageId`, 30, 5_000, read),
    route("PATCH", `${messages}/:messageId`, 5, 5_000, (request) => edit(world, request, now())),
  ];
}
