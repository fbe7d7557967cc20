import type { API } from "@discordjs/core";
import { type APIMessage, DiscordAPIError, HTTPError, RESTJSONErrorCodes } from "discord.js";
import { type Messenger, MessengerError, type MessengerFailure, type PostedMessage } from "../alerts/messenger.ts";

/** Discord's limit on one page of a channel's messages. */
const pageSize = 100;
/** 5,000 messages: further back an alert that was under way at a crash is not looked for. */
const mostPages = 50;

const goneCodes: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownGuild,
]);

/** Connection faults after which nothing can have reached Discord. */
const neverSentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function failureOf(error: unknown): MessengerFailure {
  if (error instanceof DiscordAPIError) {
    if (error.status === 404 || goneCodes.has(error.code)) return "channel_gone";
    if (error.status === 403 || error.status === 401) return "forbidden";
    if (error.status === 429) return "unsent";
    return "refused";
  }
  if (error instanceof HTTPError) return "uncertain";
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return neverSentCodes.has(String(code)) || neverSentCodes.has(String(cause?.code)) ? "unsent" : "uncertain";
}

/** Custom ids and menu values anywhere in a message's components. */
export function marksOf(components: unknown): string[] {
  if (Array.isArray(components)) return components.flatMap(marksOf);
  if (typeof components !== "object" || components === null) return [];
  const { custom_id: id, options, components: inner, accessory } = components as Record<string, unknown>;
  const values = Array.isArray(options) ? options.map((option: { value?: unknown }) => String(option.value)) : [];
  return [...(typeof id === "string" ? [id] : []), ...values, ...marksOf(inner), ...marksOf(accessory)];
}

/**
 * Messages over Discord's REST API.
 *
 * @param botId the bot's own user id: only its own messages are looked through
 */
export function createRestMessenger({ api, botId }: { api: API; botId: string }): Messenger {
  const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw new MessengerError(failureOf(error), error);
    }
  };

  /**
   * Without Read Message History, Discord shows an empty channel instead of an error. Reading the newest message by its id
   * tells the two apart: it is forbidden, or, where somebody deleted it, unknown.
   */
  async function refuseHiddenHistory(channelId: string) {
    const channel = await api.channels.get(channelId);
    const newest = "last_message_id" in channel ? channel.last_message_id : undefined;
    if (!newest) return;
    await api.channels.getMessage(channelId, newest).catch((error: unknown) => {
      if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage) return;
      throw error;
    });
  }

  async function own(channelId: string, since: number): Promise<PostedMessage[]> {
    const found: PostedMessage[] = [];
    const seen = new Set<string>();
    let before: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const messages: APIMessage[] = await api.channels.getMessages(channelId, {
        limit: pageSize,
        ...(before ? { before } : {}),
      });
      if (page === 0 && messages.length === 0) await refuseHiddenHistory(channelId);
      const unseen = messages.filter(({ id }) => !seen.has(id));
      for (const message of unseen) {
        seen.add(message.id);
        if (message.author.id !== botId) continue;
        found.push({
          id: message.id,
          channelId,
          at: Date.parse(message.timestamp),
          marks: marksOf(message.components),
        });
      }
      const oldest = unseen.at(-1);
      if (!oldest || messages.length < pageSize || Date.parse(oldest.timestamp) < since) break;
      before = oldest.id;
    }
    return found;
  }

  return {
    send: (channelId, payload, nonce) =>
      attempt(() => api.channels.createMessage(channelId, { ...payload, nonce, enforce_nonce: true })),
    edit: (channelId, messageId, payload) =>
      attempt(async () => {
        await api.channels.editMessage(channelId, messageId, payload);
      }),
    own: (channelId, since) => attempt(() => own(channelId, since)),
    tellOwner: (guildId, make, nonce) =>
      attempt(async () => {
        const guild = await api.guilds.get(guildId);
        const { id } = await api.users.createDM(guild.owner_id);
        await api.channels.createMessage(id, { ...make(guild.name), nonce, enforce_nonce: true });
      }),
  };
}
