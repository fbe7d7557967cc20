import type { Bus } from "./bus.ts";
import type { Component } from "./components.ts";
import { apiErrors, invalidForm, type Problem } from "./errors.ts";
import { createReply } from "./interaction-reply.ts";
import {
  type InteractionRecord,
  type Interactions,
  isLoading,
  type OfferedChoice,
  type OpenedModal,
  wantsEphemeral,
} from "./interactions.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { editMessage } from "./messages.ts";
import { modalProblems } from "./modal-limits.ts";
import { type ApiRequest, NO_CONTENT, ok, type Route } from "./routes.ts";
import type { SchemaName } from "./spec.ts";
import type { World } from "./world.ts";

/** The first answer is due within this (docs: Receiving and Responding to Interactions). */
const ANSWER_MS = 3_000;

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

function underData(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: ["data", ...problem.path] }));
}

function answerProblems(record: InteractionRecord, callback: Callback, request: ApiRequest): readonly Problem[] {
  const data = callback.data ?? {};
  if (callback.type === 8) return choiceProblems(data.choices ?? [], record.focusedType);
  if (callback.type === 9) return underData(modalProblems(data.components ?? []));
  if (callback.type === 4) return underData(messageProblems(data, request.files));
  if (callback.type === 7) return underData(messageProblems(data, request.files, record.source?.message));
  return [];
}

/** The schema of an answer, if it is one that this interaction takes. */
function schemaFor(record: InteractionRecord, type: number): SchemaName {
  const allowed = typesFor(record);
  const schema = SCHEMAS[type];
  if (schema !== undefined && allowed.includes(type)) return schema;
  const message = `Value "${type}" is not among the answers to this interaction: (${allowed.join(", ")}).`;
  throw invalidForm([{ path: ["type"], code: "BASE_TYPE_CHOICES", message }]);
}

/** What `with_response` asks to be told of the answer. */
function callbackResponse(record: InteractionRecord, type: number) {
  const { original } = record;
  return {
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
  };
}

/** Where interactions get their first answer; the token in the path is all that it needs. */
export function interactionCallbackRoute(deps: {
  now: () => number;
  bus: Bus;
  world: World;
  interactions: Interactions;
}): Route {
  const { now, bus, world, interactions } = deps;

  const take = (record: InteractionRecord, callback: Callback, request: ApiRequest): void => {
    const data = callback.data ?? {};
    switch (callback.type) {
      case 4:
      case 5:
        record.original = createReply(deps, record, data, request, callback.type === 5 ? "thinking" : "answer");
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

  return {
    method: "POST",
    path: "/interactions/:interactionId/:token/callback",
    auth: "token",
    handle(request) {
      const record = interactions.byToken(request.params.token ?? "");
      if (record === undefined || record.id !== request.params.interactionId) throw apiErrors.unknownInteraction();
      const afterMs = now() - record.at;
      // A repeat learns that it is one even when it comes late.
      if (record.answer !== undefined) throw apiErrors.alreadyAcknowledged(world.deliveries.get(record.id) ?? 0);
      if (afterMs > ANSWER_MS) throw apiErrors.unknownInteraction();
      const { type } = (request.body ?? {}) as Callback;
      const schema = schemaFor(record, type);
      if ((type === 6 || type === 7) && record.source?.deleted) throw apiErrors.unknownMessage();
      const body = request.check<Callback>(schema, (given) => answerProblems(record, given, request));
      record.answer = { type, afterMs, at: now() };
      take(record, body, request);
      bus.emit("answer", { id: record.id, type });
      const wantsResponse = request.query.get("with_response") === "true";
      return wantsResponse ? ok(callbackResponse(record, type)) : NO_CONTENT;
    },
  };
}
