import { type API, type APIMessage, MessageFlags, RESTJSONErrorCodes } from "@discordjs/core";
import { DiscordAPIError, RateLimitError } from "@discordjs/rest";
import { type Messenger, MessengerError, type MessengerFailure, type PostedMessage } from "../../outbox/messenger.ts";
import { hiddenMarksIn } from "../../views/alerts/hidden-mark.ts";
import { parseCustomId } from "../../views/parts/custom-ids.ts";
import { isRefusal } from "./is-refusal.ts";
import { waitOf } from "./rate-limits.ts";
import { unlessStopped } from "./request-state.ts";

/** Discord's limit on one page of a channel's messages. */
const pageSize = 100;
/** A search reads the newest 5,000 messages of a channel. It does not find a message further back. */
const mostPages = 50;

const goneCodes: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownGuild,
  // The message with this id is by another user, so the bot's message is gone. The channel may still be there.
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  RESTJSONErrorCodes.CannotExecuteActionOnSystemMessage,
]);

/**
 * Without a clear answer of Discord itself, the failure is "uncertain". The REST client repeats requests, so an earlier attempt
 * may have arrived, even if the connection of the last attempt was refused.
 */
export function failureOf(error: unknown): MessengerFailure {
  if (!isRefusal(error)) return "uncertain";
  // For a POST, the unknown message is the message to reply to. So the channel is not gone.
  if (error.code === RESTJSONErrorCodes.UnknownMessage && error.method === "POST") return "refused";
  if (error.status === 404 || goneCodes.has(error.code)) return "channel_gone";
  if (error.status === 403) return "forbidden";
  return error.status === 400 ? "refused" : "uncertain";
}

/** Longest wait before a request is tried again, even if Discord asks for a longer wait. */
const longestRetryMs = 5 * 60_000;

/** Ms. 0 means no wait. */
const retryAfterOf = (error: unknown): number =>
  error instanceof RateLimitError ? Math.min(waitOf(error), longestRetryMs) : 0;

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
 * `marks` are the custom ids and the invisible marks in the content. `orderIds` are the menu values and the arguments of the
 * custom ids. A message without such values and arguments has the order's id in the footer, after one word.
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
  isClassic: ((message.flags ?? 0) & MessageFlags.IsComponentsV2) === 0,
});

/** A proxy in between may answer 200 without a message. */
function idIn(message: Partial<APIMessage> | undefined): string {
  if (typeof message?.id !== "string") throw new Error("an answer that is no message");
  return message.id;
}

/** `botId` is the bot's user id. Only messages of the bot are read and searched. */
export function createRestMessenger({ api, botId }: { api: API; botId: string }): Messenger {
  const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw new MessengerError(failureOf(error), error, retryAfterOf(error));
    }
  };

  /**
   * Throws if the bot lacks Read Message History. Without this permission, Discord answers a request for the channel's messages
   * with an empty list, and not with an error. But it refuses a request for a single message by its id. So this function
   * requests the newest message. If that message was deleted, Discord answers "unknown message", which is no problem.
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
        const post = async () => ({ id: idIn(await api.channels.createMessage(channelId, body, { signal })) });
        return unlessStopped(stop, post);
      }),
    edit: (channelId, messageId, payload, signal) =>
      attempt(async () => {
        idIn(await api.channels.editMessage(channelId, messageId, payload, { signal }));
      }),
    read: (channelId, messageId) =>
      attempt(async () => {
        const message: APIMessage = await api.channels.getMessage(channelId, messageId);
        if (message.author.id !== botId) return undefined;
        return { ...posted(message), content: message.content, hasEmbed: message.embeds.length > 0 };
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
