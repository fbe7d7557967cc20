import { LOADING } from "./components.ts";
import { type InteractionRecord, type Interactions, wantsEphemeral } from "./interactions.ts";
import type { MessageBody } from "./message-limits.ts";
import { createMessage } from "./messages.ts";
import type { ApiMessage, StoredMessage } from "./model.ts";
import type { ApiRequest } from "./routes.ts";
import type { World } from "./world.ts";

/** A new message that answers an interaction: the first answer, "thinking" in its place, or a follow-up. */
export function createReply(
  { world, interactions }: { readonly world: World; readonly interactions: Interactions },
  record: InteractionRecord,
  body: MessageBody,
  request: ApiRequest,
  kind: "answer" | "thinking" | "followup",
): StoredMessage {
  const ephemeral = wantsEphemeral(body.flags);
  const { original } = record;
  const about = kind === "followup" ? original : record.source;
  const isReply = about !== undefined && !about.deleted;
  const asked = { id: record.id, type: 2, name: record.label.slice(1), user: world.users.get(record.userId) };
  const extra = {
    application_id: world.bot.id,
    webhook_id: world.bot.id,
    interaction_metadata: interactions.metadata(record, kind === "followup" ? original?.message : undefined),
    // Deprecated, but the only place where a message names the command that it answers.
    ...(record.kind === "command" ? { interaction: asked } : {}),
    ...(isReply
      ? {
          message_reference: {
            type: 0,
            channel_id: record.channelId,
            message_id: about.message.id,
            guild_id: record.guildId,
          },
        }
      : {}),
  };
  return createMessage(world, {
    channelId: record.channelId,
    body: kind === "thinking" ? {} : body,
    files: request.files,
    type: isReply ? 19 : record.kind === "command" ? 20 : 0,
    flags: kind === "thinking" ? LOADING : 0,
    ephemeralFor: ephemeral ? record.userId : undefined,
    // Docs: Interactions take mentions of users only, unless allowed_mentions says more.
    parsedByDefault: ["users"] as Parameters<typeof createMessage>[1]["parsedByDefault"],
    extra: extra as unknown as Partial<ApiMessage>,
  });
}
