import { type API, type APIMessage, MessageFlags, RESTJSONErrorCodes } from "@discordjs/core";
import { DiscordAPIError, RateLimitError } from "@discordjs/rest";
import {
  CalledOffError,
  type Messenger,
  MessengerError,
  type MessengerFailure,
  type PostedMessage,
} from "../../outbox/messenger.ts";
import { hiddenMarksIn } from "../../views/alerts/hidden-mark.ts";
import { parseCustomId } from "../../views/parts/custom-ids.ts";
import { isRefusal } from "./is-refusal.ts";
import { unlessStopped } from "./request-state.ts";

/** Discord's limit on one page of a channel's messages. */
const pageSize = 100;
/** Maximum number of pages per search: 5,000 messages. After a crash, an alert further back is not found. */
const mostPages = 50;

const goneCodes: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownGuild,
  // The channel has another user's message under this id, so the message to edit is gone. The error says nothing about
  // the channel.
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  RESTJSONErrorCodes.CannotExecuteActionOnSystemMessage,
]);

/**
 * Classifies a failed request. Without a clear answer of Discord itself, the failure is "uncertain": the REST client repeats
 * requests, so an attempt before a refused connection may have arrived.
 */
export function failureOf(error: unknown): MessengerFailure {
  if (!isRefusal(error)) return "uncertain";
  // A new message names a message only if it replies to it.
  if (error.code === RESTJSONErrorCodes.UnknownMessage && error.method === "POST") return "refused";
  if (error.status === 404 || goneCodes.has(error.code)) return "channel_gone";
  if (error.status === 403) return "forbidden";
  return error.status === 400 ? "refused" : "uncertain";
}

/** Longest wait, even if Discord asks for more. The request is tried again after this time. */
const longestRetryMs = 5 * 60_000;
/**
 * A longer rate limit than this is ignored, as the mistake of a proxy in between. Discord's longest is one hour. The client
 * adds some ms.
 */
const mistakenMs = 3_601_000;

/** Returns how long to wait before the next try, in ms. 0 means no wait. */
function retryAfterOf(error: unknown): number {
  const wantedMs = error instanceof RateLimitError ? error.retryAfter : 0;
  return wantedMs > 0 && wantedMs <= mistakenMs ? Math.min(wantedMs, longestRetryMs) : 0;
}

/** Collects the custom ids and menu values anywhere in a message's components, separately. */
function marked(components: unknown): { readonly customIds: string[]; readonly values: string[] } {
  const customIds: string[] = [];
  const values: string[] = [];
  function collect(part: unknown) {
    if (typeof part !== "object" || part === null) return;
    for (const [name, inner] of Object.entries(part)) {
      if (name === "custom_id") customIds.push(String(inner));
      else if (name === "value") values.push(String(inner));
      else collect(inner);
    }
  }
  collect(components);
  return { customIds, values };
}

const footerId = /^\S+ (.+)$/s;

/**
 * Returns the marks by which the bot finds its own message again: custom ids and menu values. An alert without buttons
 * has the order's id instead, after a word in its footer.
 */
export function marksIn({
  components,
  content,
  embeds,
}: Pick<APIMessage, "components" | "content" | "embeds">): Pick<PostedMessage, "marks" | "orderIds"> {
  const { customIds, values } = marked(components);
  const named = [...values, ...customIds.flatMap((id) => parseCustomId(id)?.args ?? [])];
  const inFooter = () => embeds.flatMap(({ footer }) => footerId.exec(footer?.text ?? "")?.[1] ?? []);
  return {
    marks: [...customIds, ...hiddenMarksIn(content)],
    orderIds: [...new Set(named.length > 0 ? named : inFooter())],
  };
}

const posted = (message: APIMessage): PostedMessage => ({
  id: message.id,
  ...marksIn(message),
  isV2: ((message.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0,
});

/**
 * Returns the id of the message in Discord's answer. Throws if there is none: a proxy in between may answer 200 without a
 * message.
 */
function idIn(message: Partial<APIMessage> | undefined): string {
  if (typeof message?.id !== "string") throw new Error("an answer that is no message");
  return message.id;
}

/**
 * Sends and finds messages over Discord's REST API.
 *
 * @param botId the bot's own user id: only its own messages are searched
 */
export function createRestMessenger({ api, botId }: { api: API; botId: string }): Messenger {
  const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof CalledOffError) throw error;
      throw new MessengerError(failureOf(error), error, retryAfterOf(error));
    }
  };

  /**
   * Throws if the bot lacks Read Message History. Without that permission, Discord shows an empty channel instead of an error.
   * A request for the channel's newest message by its id shows the difference. Without the permission, the message is
   * forbidden. If the message was deleted, it is unknown.
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

  async function postedSince(channelId: string, since: number): Promise<PostedMessage[]> {
    const found: PostedMessage[] = [];
    let before: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const messages: APIMessage[] = await api.channels.getMessages(channelId, { limit: pageSize, before });
      if (page === 0 && messages.length === 0) await refuseHiddenHistory(channelId);
      found.push(...messages.filter(({ author }) => author.id === botId).map(posted));
      const oldest = messages.at(-1);
      if (!oldest || messages.length < pageSize || Date.parse(oldest.timestamp) < since) break;
      before = oldest.id;
    }
    return found;
  }

  return {
    send: (channelId, payload, nonce, { signal, stop, replyTo } = {}) =>
      attempt(async () => {
        const reference = replyTo && { message_reference: { message_id: replyTo } };
        const body = { ...payload, ...reference, nonce, enforce_nonce: true };
        const post = () => api.channels.createMessage(channelId, body, { signal });
        return { id: idIn(await unlessStopped(stop, post)) };
      }),
    edit: (channelId, messageId, payload, signal) =>
      attempt(async () => {
        idIn(await api.channels.editMessage(channelId, messageId, payload, { signal }));
      }),
    read: (channelId, messageId) =>
      attempt(async () => {
        const message: APIMessage = await api.channels.getMessage(channelId, messageId);
        return message.author.id === botId ? { ...posted(message), content: message.content } : undefined;
      }),
    postedSince: (channelId, since) => attempt(() => postedSince(channelId, since)),
    tellOwner: (guildId, make, nonce) =>
      attempt(async () => {
        const guild = await api.guilds.get(guildId);
        const { id } = await api.users.createDM(guild.owner_id);
        idIn(await api.channels.createMessage(id, { ...make(guild.name), nonce, enforce_nonce: true }));
      }),
  };
}
