import { EPHEMERAL, LOADING } from "./components.ts";
import { apiErrors, badLength, invalidForm, type Problem, problemIf } from "./errors.ts";
import {
  type InteractionRecord,
  type Interactions,
  interactionTypes,
  isLoading,
  type OfferedChoice,
  type OpenedModal,
} from "./interactions.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { createMessage, editMessage } from "./messages.ts";
import { modalProblems } from "./modal-limits.ts";
import type { DiscordBus, StoredMessage } from "./model.ts";
import { type ApiReply, type ApiRequest, noContent, ok, type Route } from "./routes.ts";
import type { SchemaName } from "./spec.ts";
import type { World } from "./world.ts";

/** The first answer is due within this time (docs: Receiving and Responding to Interactions). */
const answerMs = 3_000;
/** An interaction accepts messages for this time (same document). */
const tokenMs = 15 * 60_000;

interface Deps {
  now: () => number;
  bus: DiscordBus;
  world: World;
  interactions: Interactions;
}

interface Callback {
  readonly type: number;
  readonly data?: MessageBody & Partial<OpenedModal> & { readonly choices?: readonly OfferedChoice[] };
}

const schemas: Readonly<Record<number, SchemaName>> = {
  4: "CreateMessageInteractionCallbackRequestSchema",
  5: "CreateMessageInteractionCallbackRequestSchema",
  6: "UpdateMessageInteractionCallbackRequestSchema",
  7: "UpdateMessageInteractionCallbackRequestSchema",
  8: "ApplicationCommandAutocompleteCallbackRequestSchema",
  9: "ModalInteractionCallbackRequestSchema",
};

function typesFor({ kind, source }: InteractionRecord): readonly number[] {
  if (kind === "autocomplete") return [8];
  const updates = source === undefined ? [] : [6, 7];
  return kind === "modal" ? [4, 5, ...updates] : [4, 5, ...updates, 9];
}

function choiceProblems(choices: readonly OfferedChoice[], type: number | undefined): Problem[] {
  const wanted = type === 3 ? "string" : "number";
  return choices.flatMap(({ value }, index) => {
    const path = ["data", "choices", index, "value"];
    return [
      ...problemIf(typeof value !== wanted, path, "CHOICE_TYPE_INVALID", `This choice must be a ${wanted}`),
      ...badLength(value === "" || String(value).length > 100, path, "between 1 and 100"),
    ];
  });
}

function answerProblems(record: InteractionRecord, { type, data = {} }: Callback, request: ApiRequest): Problem[] {
  if (type === 8) return choiceProblems(data.choices ?? [], record.focusedType);
  const before = type === 7 ? record.source?.message : undefined;
  const isMessage = type === 4 || type === 7;
  const ofMessage = () => (isMessage ? messageProblems(data, request.files, before) : []);
  const problems = type === 9 ? modalProblems(data.components ?? []) : ofMessage();
  return problems.map((problem) => ({ ...problem, path: ["data", ...problem.path] }));
}

function schemaFor(record: InteractionRecord, type: number): SchemaName {
  const allowed = typesFor(record);
  const schema = schemas[type];
  if (schema !== undefined && allowed.includes(type)) return schema;
  const message = `Value "${type}" is not among the answers to this interaction: (${allowed.join(", ")}).`;
  throw invalidForm([{ path: ["type"], code: "BASE_TYPE_CHOICES", message }]);
}

function createReply(
  world: World,
  record: InteractionRecord,
  body: MessageBody,
  request: ApiRequest,
  kind: "answer" | "thinking" | "followup",
): StoredMessage {
  const { id, label, userId, guildId, channelId } = record;
  const about = kind === "followup" ? record.original : record.source;
  const user = world.users.get(userId);
  const metadata = { id, type: interactionTypes[record.kind], user, authorizing_integration_owners: { 0: guildId } };
  const extra = {
    application_id: world.bot.id,
    webhook_id: world.bot.id,
    interaction_metadata: metadata,
    // Deprecated, but the only place where a message names the command that it answers.
    ...(record.kind === "command" ? { interaction: { id, type: 2, name: label.slice(1), user } } : {}),
    ...(about
      ? { message_reference: { type: 0, channel_id: channelId, message_id: about.message.id, guild_id: guildId } }
      : {}),
  };
  return createMessage(world, {
    channelId,
    body: kind === "thinking" ? {} : body,
    files: request.files,
    type: about ? 19 : record.kind === "command" ? 20 : 0,
    flags: kind === "thinking" ? LOADING : 0,
    ephemeralFor: ((body.flags ?? 0) & EPHEMERAL) === 0 ? undefined : userId,
    // Docs: answers to interactions mention only users, unless allowed_mentions says more.
    parsedByDefault: ["users"],
    extra,
  });
}

function take({ world, now }: Deps, record: InteractionRecord, { type, data = {} }: Callback, request: ApiRequest) {
  const { source } = record;
  if (type === 4 || type === 5) {
    record.original = createReply(world, record, data, request, type === 5 ? "thinking" : "answer");
    record.settled = type === 4;
  } else if (type === 6 || type === 7) {
    record.original = source;
    if (type === 7 && source) editMessage(world, source, data, request.files, now());
    record.settled = type === 7;
  } else if (type === 8) record.choices = data.choices ?? [];
  else record.modal = { custom_id: data.custom_id ?? "", title: data.title ?? "", components: data.components ?? [] };
}

function takeFirstAnswer(deps: Deps, request: ApiRequest): ApiReply {
  const { now, bus, world, interactions } = deps;
  const record = interactions.byToken(request.params.token ?? "");
  if (record === undefined || record.id !== request.params.interactionId) throw apiErrors.unknownInteraction();
  const afterMs = now() - record.at;
  const { type } = (request.body ?? {}) as Callback;
  // A repeated answer gets this error even if it comes too late.
  if (record.answer !== undefined) {
    const isRepeated = record.answer.type === type || (world.deliveries.get(record.id) ?? 0) > 1;
    throw apiErrors.alreadyAcknowledged(isRepeated);
  }
  if (afterMs > answerMs) throw apiErrors.unknownInteraction();
  const schema = schemaFor(record, type);
  const body = request.check<Callback>(schema, (given) => answerProblems(record, given, request));
  record.answer = { type, afterMs };
  take(deps, record, body, request);
  bus.emit("answer", { id: record.id });
  return noContent;
}

/** These routes need only the token in their path. */
export function interactionRoutes(deps: Deps): Route[] {
  const { now, bus, world, interactions } = deps;

  function reach(request: ApiRequest): InteractionRecord {
    const record = interactions.byToken(request.params.token ?? "");
    if (request.params.applicationId !== world.bot.id || record === undefined) throw apiErrors.unknownWebhook();
    if (now() - record.at > tokenMs) throw apiErrors.invalidWebhookToken();
    if (record.answer === undefined || record.kind === "autocomplete") throw apiErrors.unknownWebhook();
    return record;
  }

  function fill(record: InteractionRecord, original: StoredMessage, request: ApiRequest, schema: SchemaName): ApiReply {
    const body = request.check<MessageBody>(
      schema,
      (message) => messageProblems(message, request.files, original.message),
      request.body ?? {},
    );
    // The record is settled before the edit is announced, so a test that waits for the edit sees both.
    record.settled = true;
    return ok(editMessage(world, original, body, request.files, now()));
  }

  function followUp(request: ApiRequest): ApiReply {
    const record = reach(request);
    const { original } = record;
    const schema = "IncomingWebhookRequestPartialSchema";
    // Docs: Create Followup Message: the first one after a deferral fills the deferred message, whatever its flags.
    if (original !== undefined && isLoading(original)) return fill(record, original, request, schema);
    const body = request.check<MessageBody>(schema, (message) => messageProblems(message, request.files), request.body);
    const stored = createReply(world, record, body, request, "followup");
    record.followups.push(stored);
    bus.emit("answer", { id: record.id });
    return ok(stored.message);
  }

  function edit(request: ApiRequest): ApiReply {
    const record = reach(request);
    if (record.original === undefined) throw apiErrors.unknownMessage();
    return fill(record, record.original, request, "IncomingWebhookUpdateRequestPartialSchema");
  }

  const callback = "/interactions/:interactionId/:token/callback";
  const webhook = "/webhooks/:applicationId/:token";
  const limits = { auth: "token", bucket: { limit: 5, windowMs: 2_000 } } as const;
  return [
    { method: "POST", path: callback, auth: "token", handle: (request) => takeFirstAnswer(deps, request) },
    { method: "POST", path: webhook, ...limits, handle: followUp },
    { method: "PATCH", path: `${webhook}/messages/@original`, ...limits, handle: edit },
  ];
}
