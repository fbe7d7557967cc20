import type { Bus } from "./bus.ts";
import { apiErrors } from "./errors.ts";
import { createReply } from "./interaction-reply.ts";
import { type InteractionRecord, type Interactions, isLoading } from "./interactions.ts";
import { type MessageBody, messageProblems } from "./message-limits.ts";
import { deleteMessage, editMessage } from "./messages.ts";
import type { StoredMessage } from "./model.ts";
import { type ApiReply, type ApiRequest, NO_CONTENT, ok, type Route } from "./routes.ts";
import type { SchemaName } from "./spec.ts";
import type { World } from "./world.ts";

/** An interaction takes messages for this long (docs: Receiving and Responding to Interactions). */
const TOKEN_MS = 15 * 60_000;

function findMessage(request: ApiRequest, record: InteractionRecord): StoredMessage {
  const id = request.params.message ?? "";
  const own = [...record.followups, ...(record.original ? [record.original] : [])];
  const stored = id === "@original" ? record.original : own.find(({ message }) => message.id === id);
  if (stored === undefined || stored.deleted) throw apiErrors.unknownMessage();
  return stored;
}

/** What comes after the first answer of an interaction; the token in the path is all that it needs. */
export function interactionWebhookRoutes(deps: {
  now: () => number;
  bus: Bus;
  world: World;
  interactions: Interactions;
}): Route[] {
  const { now, bus, world, interactions } = deps;

  const reach = (request: ApiRequest): InteractionRecord => {
    const record = interactions.byToken(request.params.token ?? "");
    if (request.params.applicationId !== world.bot.id || record === undefined) throw apiErrors.unknownWebhook();
    if (now() - record.at > TOKEN_MS) throw apiErrors.invalidWebhookToken();
    if (record.answer === undefined || record.kind === "autocomplete") throw apiErrors.unknownWebhook();
    return record;
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
    const stored = createReply(deps, record, body, request, "followup");
    record.followups.push(stored);
    bus.emit("followup", { id: record.id });
    return ok(stored.message);
  };

  const read = (request: ApiRequest): ApiReply => ok(findMessage(request, reach(request)).message);

  const edit = (request: ApiRequest): ApiReply => {
    const record = reach(request);
    return fill(record, findMessage(request, record), request, "IncomingWebhookUpdateRequestPartialSchema");
  };

  const remove = (request: ApiRequest): ApiReply => {
    const record = reach(request);
    const stored = findMessage(request, record);
    if (stored === record.original) record.settled = true;
    deleteMessage(world, stored);
    return NO_CONTENT;
  };

  const webhook = "/webhooks/:applicationId/:token";
  const message = `${webhook}/messages/:message`;
  const limits = { auth: "token", bucket: { limit: 5, windowMs: 2_000 } } as const;
  return [
    { method: "POST", path: webhook, ...limits, handle: followUp },
    { method: "GET", path: message, ...limits, handle: read },
    { method: "PATCH", path: message, ...limits, handle: edit },
    { method: "DELETE", path: message, ...limits, handle: remove },
  ];
}
