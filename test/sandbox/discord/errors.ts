export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
}

export const problemIf = (isWrong: boolean, path: Path, code: string, message: string): Problem[] =>
  isWrong ? [{ path, code, message }] : [];

export const required = (value: unknown, path: Path): Problem[] =>
  problemIf(!value, path, "BASE_TYPE_REQUIRED", "This field is required");

/** `bounds`: such as "between 1 and 5". */
export const badLength = (isWrong: boolean, path: Path, bounds: string): Problem[] =>
  problemIf(isWrong, path, "BASE_TYPE_BAD_LENGTH", `Must be ${bounds} in length.`);

export function repeated(values: readonly (readonly [string, Path])[], code: string, message: string): Problem[] {
  const seen = new Set<string>();
  // The set grows only by a value that it does not have.
  return values.flatMap(([value, path]) => problemIf(seen.size === seen.add(value).size, path, code, message));
}

/** In Discord's shape `{ code, message, errors? }`. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, code: number, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.body = { message, code, ...extra };
  }
}

/** A refusal that the bot could not know in advance. It does not count as a mistake of the bot. */
export class UnavoidableError extends ApiError {}

/** A 429 for a limit of the resource, with a wait in whole seconds (docs: Rate Limits, "Exceeding A Rate Limit"). */
export const tooManyRequests = (seconds: number) => ({
  status: 429,
  headers: { "retry-after": String(seconds), "x-ratelimit-scope": "shared" },
  body: { message: "The resource is being rate limited.", retry_after: seconds, global: false },
});

interface ErrorTree {
  _errors?: { code: string; message: string }[];
  [key: string]: ErrorTree | { code: string; message: string }[] | undefined;
}

function treeOf(problems: readonly Problem[]): ErrorTree {
  const root: ErrorTree = {};
  for (const { path, code, message } of problems) {
    let node = root;
    for (const key of path) {
      const next = (node[String(key)] as ErrorTree | undefined) ?? {};
      node[String(key)] = next;
      node = next;
    }
    node._errors = [...(node._errors ?? []), { code, message }];
  }
  return root;
}

/** Discord's answer to a body that breaks its rules. */
export function invalidForm(problems: readonly Problem[]): ApiError {
  return new ApiError(400, 50035, "Invalid Form Body", { errors: treeOf(problems) });
}

/** The answer to a reply whose message is gone (as in discordjs/discord.js#7178). */
export function unknownReference(): ApiError {
  const problem = {
    path: ["message_reference"],
    code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE",
    message: "Unknown message",
  };
  return new UnavoidableError(400, 50035, "Invalid Form Body", { errors: treeOf([problem]) });
}

/** Discord's own codes and sentences (docs: Opcodes and Status Codes, JSON error codes). */
export const apiErrors = {
  unauthorized: () => new ApiError(401, 0, "401: Unauthorized"),
  notFound: () => new ApiError(404, 0, "404: Not Found"),
  methodNotAllowed: () => new ApiError(405, 0, "405: Method Not Allowed"),
  unknownChannel: () => new ApiError(404, 10003, "Unknown Channel"),
  unknownGuild: () => new ApiError(404, 10004, "Unknown Guild"),
  unknownMember: () => new ApiError(404, 10007, "Unknown Member"),
  unknownMessage: () => new ApiError(404, 10008, "Unknown Message"),
  unknownUser: () => new ApiError(404, 10013, "Unknown User"),
  unknownWebhook: () => new ApiError(404, 10015, "Unknown Webhook"),
  unknownInteraction: () => new ApiError(404, 10062, "Unknown interaction"),
  unknownApplication: () => new ApiError(404, 10002, "Unknown Application"),
  tooLarge: () => new ApiError(413, 40005, "Request entity too large"),
  /**
   * `isRepeated`: the gateway sent the interaction twice, or the bot sent an answer of the same kind twice. In both cases a bot
   * cannot know that Discord has an answer already.
   */
  alreadyAcknowledged: (isRepeated: boolean) =>
    new (isRepeated ? UnavoidableError : ApiError)(400, 40060, "Interaction has already been acknowledged."),
  missingAccess: () => new ApiError(403, 50001, "Missing Access"),
  notAuthor: () => new ApiError(403, 50005, "Cannot edit a message authored by another user"),
  emptyMessage: () => new ApiError(400, 50006, "Cannot send an empty message"),
  missingPermissions: () => new ApiError(403, 50013, "Missing Permissions"),
  invalidWebhookToken: () => new ApiError(401, 50027, "Invalid Webhook Token"),
  invalidContentType: () =>
    invalidForm([
      {
        path: ["_misc"],
        code: "CONTENT_TYPE_INVALID",
        message: 'Expected "Content-Type" header to be one of {"application/json","multipart/form-data"}.',
      },
    ]),
  invalidJson: () => new ApiError(400, 50109, "The request body contains invalid JSON."),
};
