import { PermissionFlagsBits } from "@discordjs/core";
import { apiChannel } from "./api-objects.ts";
import { apiErrors, invalidForm } from "./errors.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { createMessage, deleteMessage, editMessage } from "./messages.ts";
import type { ChannelModel, StoredMessage } from "./model.ts";
import type { OldEdits } from "./old-edits.ts";
import { has, permissionsIn } from "./permissions.ts";
import { type ApiRequest, NO_CONTENT, ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

/** A repeated nonce returns the first message for this long ("a few minutes", docs: Create Message). */
const NONCE_MS = 5 * 60_000;

/** Channels, messages and direct messages, as the bot's token reaches them. */
export function channelRoutes(world: World, now: () => number, oldEdits: OldEdits): Route[] {
  const nonces = new Map<string, { stored: StoredMessage; at: number }>();

  const reach = (request: ApiRequest, wanted = 0n): ChannelModel => {
    const channel = world.channels.get(request.params.channelId ?? "");
    if (channel === undefined || channel.deleted) throw apiErrors.unknownChannel();
    if (channel.guildId === undefined) return channel;
    const guild = world.guildOf(channel.guildId);
    if (!guild.present) throw apiErrors.missingAccess();
    const permissions = permissionsIn(guild, world.bot.id, channel);
    if (!has(permissions, PermissionFlagsBits.ViewChannel)) throw apiErrors.missingAccess();
    if (!has(permissions, wanted)) throw apiErrors.missingPermissions();
    return channel;
  };

  const find = (request: ApiRequest, channel: ChannelModel): StoredMessage => {
    const stored = world.message(channel.id, request.params.messageId ?? "");
    if (stored === undefined || stored.ephemeralFor !== undefined) throw apiErrors.unknownMessage();
    return stored;
  };

  const post = (request: ApiRequest) => {
    const sending = PermissionFlagsBits.SendMessages;
    const channel = reach(request, request.files.length > 0 ? sending | PermissionFlagsBits.AttachFiles : sending);
    if (channel.recipientId !== undefined && world.blocked.has(channel.recipientId))
      throw apiErrors.cannotMessageUser();
    const body = request.check<MessageBody>(
      "MessageCreateRequestSchema",
      (message) => messageProblems(message, request.files),
      request.body ?? {},
    );
    const key = `${channel.id} ${body.nonce}`;
    const first = body.enforce_nonce ? nonces.get(key) : undefined;
    if (first !== undefined && first.at + NONCE_MS > now()) return ok(first.stored.message);
    const parsedByDefault = ["users", "roles", "everyone"] as Parameters<typeof createMessage>[1]["parsedByDefault"];
    const stored = createMessage(world, {
      channelId: channel.id,
      body,
      files: request.files,
      parsedByDefault,
      ...replyTo(request, channel, body),
    });
    if (body.nonce !== undefined && body.nonce !== null) nonces.set(key, { stored, at: now() });
    return ok(stored.message);
  };

  /** Docs: Create Message: a reply takes Read Message History; where the message is gone, it stands alone if it may. */
  const replyTo = (request: ApiRequest, channel: ChannelModel, { message_reference: reference }: MessageBody) => {
    if (!reference) return {};
    reach(request, PermissionFlagsBits.ReadMessageHistory);
    const first = world.publicMessages(channel.id).find(({ message }) => message.id === reference.message_id);
    if (first === undefined && reference.fail_if_not_exists !== false) throw apiErrors.unknownMessage();
    if (first === undefined) return {};
    const place = { type: 0, channel_id: channel.id, message_id: first.message.id };
    return { type: 19, extra: { message_reference: place, referenced_message: first.message } };
  };

  const list = (request: ApiRequest) => {
    const limit = Number(request.query.get("limit") ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      const message = "int value should be between 1 and 100.";
      throw invalidForm([{ path: ["limit"], code: "NUMBER_TYPE_MAX", message }]);
    }
    const channel = reach(request);
    const guild = channel.guildId === undefined ? undefined : world.guildOf(channel.guildId);
    const history = PermissionFlagsBits.ReadMessageHistory;
    // Docs: Get Channel Messages: without READ_MESSAGE_HISTORY no messages are returned.
    if (guild !== undefined && !has(permissionsIn(guild, world.bot.id, channel), history)) return ok([]);
    return ok(page(world.publicMessages(channel.id), request.query, limit).map(({ message }) => message));
  };

  return [
    {
      method: "GET",
      path: "/channels/:channelId",
      auth: "bot",
      bucket: { limit: 50, windowMs: 10_000 },
      handle: (request) => {
        const channel = reach(request);
        const last = world.publicMessages(channel.id).at(-1)?.message.id ?? null;
        return ok(channel.guildId === undefined ? directChannel(world, channel, last) : apiChannel(channel, last));
      },
    },
    {
      method: "POST",
      path: "/channels/:channelId/messages",
      auth: "bot",
      bucket: { limit: 5, windowMs: 5_000 },
      handle: post,
    },
    {
      method: "GET",
      path: "/channels/:channelId/messages",
      auth: "bot",
      bucket: { limit: 10, windowMs: 5_000 },
      handle: list,
    },
    {
      method: "GET",
      path: "/channels/:channelId/messages/:messageId",
      auth: "bot",
      bucket: { limit: 30, windowMs: 5_000 },
      handle: (request) => ok(find(request, reach(request, PermissionFlagsBits.ReadMessageHistory)).message),
    },
    {
      method: "PATCH",
      path: "/channels/:channelId/messages/:messageId",
      auth: "bot",
      bucket: { limit: 5, windowMs: 5_000 },
      handle: (request) => {
        const stored = find(request, reach(request));
        if (stored.message.author.id !== world.bot.id) throw apiErrors.notAuthor();
        oldEdits.take(stored);
        const body = request.check<MessageBody>(
          "MessageEditRequestPartialSchema",
          (message) => messageProblems(message, request.files, stored.message),
          request.body ?? {},
        );
        return ok(editMessage(world, stored, body, request.files, now()));
      },
    },
    {
      method: "DELETE",
      path: "/channels/:channelId/messages/:messageId",
      auth: "bot",
      bucket: { limit: 5, windowMs: 1_000 },
      handle: (request) => {
        const channel = reach(request);
        const stored = find(request, channel);
        if (stored.message.author.id !== world.bot.id) reach(request, PermissionFlagsBits.ManageMessages);
        deleteMessage(world, stored);
        return NO_CONTENT;
      },
    },
    {
      method: "POST",
      path: "/users/@me/channels",
      auth: "bot",
      bucket: { limit: 10, windowMs: 10_000 },
      handle: (request) => {
        const { recipient_id } = request.check<{ recipient_id?: string }>(
          "CreatePrivateChannelRequestSchema",
          () => [],
        );
        if (recipient_id === undefined || !world.users.has(recipient_id)) throw apiErrors.unknownUser();
        // Discord opens the channel with anybody, and refuses at the first message.
        return ok(directChannel(world, world.directChannel(recipient_id), null));
      },
    },
  ];
}

function directChannel(world: World, channel: ChannelModel, last: string | null): Record<string, unknown> {
  const recipient = world.users.get(channel.recipientId ?? "");
  return {
    id: channel.id,
    type: channel.type,
    last_message_id: last,
    flags: 0,
    recipients: recipient ? [recipient] : [],
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
