import type { Bus } from "./bus.ts";
import type { Component } from "./components.ts";
import { LOADING } from "./components.ts";
import { apiErrors, invalidForm, type Problem } from "./errors.ts";
import {
  type InteractionRecord,
  type Interactions,
  isLoading,
  type OfferedChoice,
  type OpenedModal,
  wantsEphemeral,
} from "./interactions.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { createMessage, deleteMessage, editMessage } from "./messages.ts";
import { modalProblems } from "./modal-limits.ts";
import type { ApiMessage, StoredMessage } from "./model.ts";
import { type ApiReply, type ApiRequest, NO_CONTENT, ok, type Route } from "./routes.ts";
import type { SchemaName } from "./spec.ts";
import type { World } from "./world.ts";

/** The first answer is due within this (docs: Receiving and Responding to Interactions). */
const ANSWER_MS = 3_000;
/** Later ones within this. */
const TOKEN_MS = 15 * 60_000;

interface Callback {
  readonly type: number;
  readonly data?: MessageBody & Partial<OpenedModal> & { readonly choices?: readonly OfferedChoice[] };
}

const SCHEMAS: Readonly<Record<number, SchemaName>> = {
  4: "CreateMessageInteractionCallbackRequestSchema",
  5: "CreateMessageInteractionCallbackRequestSchema",
  6: "UpdateMessageInteractionCallbackRequestSchema",
  7: "UpdateMessageInteractionCallbackRequestSchema",
  8: "ApplicationCommandAutocompleteCallbackRequestSchema",
  9: "ModalInteractionCallbackRequestSchema",
};

/** The answers that each kind of interaction takes. */
function typesFor(record: InteractionRecord): readonly number[] {
  if (record.kind === "autocomplete") return [8];
  const updates = record.source === undefined ? [] : [6, 7];
  return record.kind === "modal" ? [4, 5, ...updates] : [4, 5, ...updates, 9];
}

function choiceProblems(choices: readonly OfferedChoice[], type: number | undefined): Problem[] {
  return choices.flatMap(({ value }, index): Problem[] => {
    const path = ["data", "choices", index, "value"];
    const wanted = type === 3 ? "string" : "number";
    if (typeof value !== wanted)
      return [{ path, code: "CHOICE_TYPE_INVALID", message: `This choice must be a ${wanted}` }];
    if (typeof value === "string" && (value === "" || value.length > 100)) {
      return [{ path, code: "BASE_TYPE_BAD_LENGTH", message: "Must be between 1 and 100 in length." }];
    }
    return [];
  });
}

/** First answers and follow-ups of interactions; the token in the path is all that they need. */
export function interactionRoutes(deps: {
  now: () => number;
  bus: Bus;
  world: World;
  interactions: Interactions;
}): Route[] {
  const { now, bus, world, interactions } = deps;

  const underData = (problems: readonly Problem[]): Problem[] =>
    problems.map((problem) => ({ ...problem, path: ["data", ...problem.path] }));

  const answerProblems = (record: InteractionRecord, callback: Callback, request: ApiRequest): readonly Problem[] => {
    const data = callback.data ?? {};
    if (callback.type === 8) return choiceProblems(data.choices ?? [], record.focusedType);
    if (callback.type === 9) return underData(modalProblems(data.components ?? []));
    if (callback.type === 4) return underData(messageProblems(data, request.files));
    if (callback.type === 7) return underData(messageProblems(data, request.files, record.source?.message));
    return [];
  };

  /** A new message that answers the interaction. */
  const reply = (
    record: InteractionRecord,
    body: MessageBody,
    request: ApiRequest,
    loading: boolean,
    followup: boolean,
  ): StoredMessage => {
    const ephemeral = wantsEphemeral(body.flags);
    const asked = interactions.metadata(record, followup ? record.original?.message : undefined);
    const about = followup ? record.original : record.source;
    return createMessage(world, {
      channelId: record.channelId,
      body: loading ? {} : body,
      files: request.files,
      type: about !== undefined && !about.deleted ? 19 : record.kind === "command" ? 20 : 0,
      flags: loading ? LOADING : 0,
      ephemeralFor: ephemeral ? record.userId : undefined,
      // Docs: Interactions take mentions of users only, unless allowed_mentions says more.
      parsedByDefault: ["users"] as Parameters<typeof createMessage>[1]["parsedByDefault"],
      extra: {
        application_id: world.bot.id,
        webhook_id: world.bot.id,
        interaction_metadata: asked,
        // Deprecated, but the only place where a message names the command that it answers.
        ...(record.kind === "command"
          ? {
              interaction: {
                id: record.id,
                type: 2,
                name: record.label.slice(1),
                user: world.users.get(record.userId),
              },
            }
          : {}),
        ...(about !== undefined && !about.deleted
          ? {
              message_reference: {
                type: 0,
                channel_id: record.channelId,
                message_id: about.message.id,
                guild_id: record.guildId,
              },
            }
          : {}),
      } as unknown as Partial<ApiMessage>,
    });
  };

  const take = (record: InteractionRecord, callback: Callback, request: ApiRequest): void => {
    const data = callback.data ?? {};
    switch (callback.type) {
      case 4:
      case 5:
        record.original = reply(record, data, request, callback.type === 5, false);
        record.settled = callback.type === 4;
        record.ephemeral = wantsEphemeral(data.flags);
        break;
      case 6:
      case 7:
        record.original = record.source;
        record.ephemeral = record.source?.ephemeralFor !== undefined;
        if (callback.type === 7 && record.source) {
          editMessage(world, record.source, data, request.files, now());
          record.settled = true;
        }
        break;
      case 8:
        record.choices = data.choices ?? [];
        break;
      default:
        record.modal = {
          custom_id: data.custom_id ?? "",
          title: data.title ?? "",
          components: data.components as Component[],
        };
    }
  };

  const callback = (request: ApiRequest): ApiReply => {
    const record = interactions.byToken(request.params.token ?? "");
    if (record === undefined || record.id !== request.params.interactionId) throw apiErrors.unknownInteraction();
    const afterMs = now() - record.at;
    // A repeat learns that it is one even when it comes late.
    if (record.answer !== undefined) throw apiErrors.alreadyAcknowledged();
    if (afterMs > ANSWER_MS) throw apiErrors.unknownInteraction();
    const { type } = (request.body ?? {}) as Callback;
    const allowed = typesFor(record);
    const schema = SCHEMAS[type];
    if (schema === undefined || !allowed.includes(type)) {
      const message = `Value "${type}" is not among the answers to this interaction: (${allowed.join(", ")}).`;
      throw invalidForm([{ path: ["type"], code: "BASE_TYPE_CHOICES", message }]);
    }
    if ((type === 6 || type === 7) && record.source?.deleted) throw apiErrors.unknownMessage();
    const body = request.check<Callback>(schema, (given) => answerProblems(record, given, request));
    record.answer = { type, afterMs, at: now() };
    take(record, body, request);
    bus.emit("answer", { id: record.id, type });
    if (request.query.get("with_response") !== "true") return NO_CONTENT;
    const { original } = record;
    return ok({
      interaction: {
        id: record.id,
        type: { command: 2, component: 3, autocomplete: 4, modal: 5 }[record.kind],
        response_message_id: original?.message.id,
        response_message_loading: original === undefined ? undefined : isLoading(original),
        response_message_ephemeral: original === undefined ? undefined : original.ephemeralFor !== undefined,
        channel_id: record.channelId,
        guild_id: record.guildId,
      },
      resource: original === undefined ? undefined : { type, message: original.message },
    });
  };

  const reach = (request: ApiRequest): InteractionRecord => {
    const record = interactions.byToken(request.params.token ?? "");
    if (request.params.applicationId !== world.bot.id || record === undefined) throw apiErrors.unknownWebhook();
    if (now() - record.at > TOKEN_MS) throw apiErrors.invalidWebhookToken();
    if (record.answer === undefined || record.kind === "autocomplete") throw apiErrors.unknownWebhook();
    return record;
  };

  const find = (request: ApiRequest, record: InteractionRecord): StoredMessage => {
    const id = request.params.message ?? "";
    const own = [...record.followups, ...(record.original ? [record.original] : [])];
    const stored = id === "@original" ? record.original : own.find(({ message }) => message.id === id);
    if (stored === undefined || stored.deleted) throw apiErrors.unknownMessage();
    return stored;
  };

  const fill = (
    record: InteractionRecord,
    stored: StoredMessage,
    request: ApiRequest,
    schema: SchemaName,
  ): ApiReply => {
    const body = request.check<MessageBody>(
      schema,
      (message) => messageProblems(message, request.files, stored.message),
      request.body ?? {},
    );
    // Settled before the edit is announced, so that who waits for the edit sees both.
    if (stored === record.original) record.settled = true;
    return ok(editMessage(world, stored, body, request.files, now()));
  };

  const followUp = (request: ApiRequest): ApiReply => {
    const record = reach(request);
    const { original } = record;
    // Docs: Create Followup Message: the first one after a deferral fills the deferred message, whatever its flags.
    if (original !== undefined && !original.deleted && isLoading(original)) {
      return fill(record, original, request, "IncomingWebhookRequestPartialSchema");
    }
    const body = request.check<MessageBody>(
      "IncomingWebhookRequestPartialSchema",
      (message) => messageProblems(message, request.files),
      request.body ?? {},
    );
    const stored = reply(record, body, request, false, true);
    record.followups.push(stored);
    bus.emit("followup", { id: record.id });
    return ok(stored.message);
  };

  const remove = (request: ApiRequest): ApiReply => {
    const record = reach(request);
    const stored = find(request, record);
    if (stored === record.original) record.settled = true;
    deleteMessage(world, stored);
    return NO_CONTENT;
  };

  const webhook = "/webhooks/:applicationId/:token";
  const bucket = { limit: 5, windowMs: 2_000 };
  return [
    { method: "POST", path: "/interactions/:interactionId/:token/callback", auth: "token", handle: callback },
    { method: "POST", path: webhook, auth: "token", bucket, handle: followUp },
    {
      method: "GET",
      path: `${webhook}/messages/:message`,
      auth: "token",
      bucket,
      handle: (request) => ok(find(request, reach(request)).message),
    },
    {
      method: "PATCH",
      path: `${webhook}/messages/:message`,
      auth: "token",
      bucket,
      handle: (request) => {
        const record = reach(request);
        return fill(record, find(request, record), request, "IncomingWebhookUpdateRequestPartialSchema");
      },
    },
    { method: "DELETE", path: `${webhook}/messages/:message`, auth: "token", bucket, handle: remove },
  ];
}
