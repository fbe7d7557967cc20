import { PermissionFlagsBits } from "@discordjs/core";
import { apiErrors, invalidForm } from "./errors.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { createMessage, deleteMessage, editMessage } from "./messages.ts";
import type { ChannelModel, StoredMessage } from "./model.ts";
import { has, permissionsIn } from "./permissions.ts";
import { reachChannel } from "./reach-channel.ts";
import { type ApiReply, type ApiRequest, NO_CONTENT, ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

/** A repeated nonce returns the first message for this long ("a few minutes", docs: Create Message). */
const NONCE_MS = 5 * 60_000;

function findMessage(world: World, request: ApiRequest, channel: ChannelModel): StoredMessage {
  const stored = world.message(channel.id, request.params.messageId ?? "");
  if (stored === undefined || stored.ephemeralFor !== undefined) throw apiErrors.unknownMessage();
  return stored;
}

/** Docs: Create Message: a reply takes Read Message History; where the message is gone, it stands alone if it may. */
function replyTo(
  world: World,
  request: ApiRequest,
  channel: ChannelModel,
  { message_reference: reference }: MessageBody,
) {
  if (!reference) return {};
  reachChannel(world, request, PermissionFlagsBits.ReadMessageHistory);
  const first = world.publicMessages(channel.id).find(({ message }) => message.id === reference.message_id);
  if (first === undefined && reference.fail_if_not_exists !== false) throw apiErrors.unknownMessage();
  if (first === undefined) return {};
  const place = { type: 0, channel_id: channel.id, message_id: first.message.id };
  return { type: 19, extra: { message_reference: place, referenced_message: first.message } };
}

/** Sends messages; it remembers their nonces. */
function createPost(world: World, now: () => number): (request: ApiRequest) => ApiReply {
  const nonces = new Map<string, { stored: StoredMessage; at: number }>();
  return (request) => {
    const sending = PermissionFlagsBits.SendMessages;
    const wanted = request.files.length > 0 ? sending | PermissionFlagsBits.AttachFiles : sending;
    const channel = reachChannel(world, request, wanted);
    if (channel.recipientId !== undefined && world.blocked.has(channel.recipientId))
      throw apiErrors.cannotMessageUser();
    const body = request.check<MessageBody>(
      "MessageCreateRequestSchema",
      (message) => messageProblems(message, request.files),
      request.body ?? {},
    );
    const key = `${channel.id} ${body.nonce}`;
    const first = body.enforce_nonce ? nonces.get(key) : undefined;
    // One that was forgotten was never there.
    const isKept = first !== undefined && world.messages.get(channel.id)?.includes(first.stored);
    if (isKept && first.at + NONCE_MS > now()) return ok(first.stored.message);
    const parsedByDefault = ["users", "roles", "everyone"] as Parameters<typeof createMessage>[1]["parsedByDefault"];
    const stored = createMessage(world, {
      channelId: channel.id,
      body,
      files: request.files,
      parsedByDefault,
      ...replyTo(world, request, channel, body),
    });
    if (body.nonce !== undefined && body.nonce !== null) {
      for (const [old, { at }] of nonces) if (at + NONCE_MS <= now()) nonces.delete(old);
      nonces.set(key, { stored, at: now() });
    }
    return ok(stored.message);
  };
}

/** Newest first, as Discord pages: the newest before an id, the oldest after one, or both sides of one. */
function page(all: readonly StoredMessage[], query: URLSearchParams, limit: number): StoredMessage[] {
  const older = (id: string) => all.filter(({ message }) => BigInt(message.id) < BigInt(id));
  const newer = (id: string) => all.filter(({ message }) => BigInt(message.id) > BigInt(id));
  const around = query.get("around");
  const before = query.get("before");
  const after = query.get("after");
  if (around !== null) {
    const half = Math.floor(limit / 2);
    const middle = all.filter(({ message }) => message.id === around);
    return [...older(around).slice(-half), ...middle, ...newer(around).slice(0, half)].slice(0, limit).reverse();
  }
  if (before !== null) return older(before).slice(-limit).reverse();
  if (after !== null) return newer(after).slice(0, limit).reverse();
  return all.slice(-limit).reverse();
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
  return ok(page(world.publicMessages(channel.id), request.query, limit).map(({ message }) => message));
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

function remove(world: World, request: ApiRequest): ApiReply {
  const stored = findMessage(world, request, reachChannel(world, request));
  if (stored.message.author.id !== world.bot.id) {
    reachChannel(world, request, PermissionFlagsBits.ManageMessages);
  }
  deleteMessage(world, stored);
  return NO_CONTENT;
}

/** The messages of a channel, as the bot's token reaches them. */
export function messageRoutes(world: World, now: () => number): Route[] {
  const read = (request: ApiRequest) => {
    const channel = reachChannel(world, request, PermissionFlagsBits.ReadMessageHistory);
    return ok(findMessage(world, request, channel).message);
  };
  const route = (method: Route["method"], path: string, limit: number, windowMs: number, handle: Route["handle"]) =>
    ({ method, path, auth: "bot", bucket: { limit, windowMs }, handle }) satisfies Route;
  const messages = "/channels/:channelId/messages";
  const message = `${messages}/:messageId`;
  return [
    route("POST", messages, 5, 5_000, createPost(world, now)),
    route("GET", messages, 10, 5_000, (request) => list(world, request)),
    route("GET", message, 30, 5_000, read),
    route("PATCH", message, 5, 5_000, (request) => edit(world, request, now())),
    route("DELETE", message, 5, 1_000, (request) => remove(world, request)),
  ];
}
