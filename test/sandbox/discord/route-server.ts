import { ApiError, apiErrors, invalidForm, type Problem, UnavoidableError } from "./errors.ts";
import type { Evidence, RecordedRequest } from "./model.ts";
import type { RateLimits, Verdict } from "./rate-limits.ts";
import { type ApiReply, type ApiRequest, patternOf, type Route } from "./routes.ts";
import { checkSpec, type SchemaName } from "./spec.ts";

/** What is answered; no body without one. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteServer {
  /** Finds a request's route, asks the limits, checks and serves. Throws an `ApiError` where no route is reached. */
  serve(recorded: RecordedRequest, query: URLSearchParams): Answer;
  /** An error as it is answered; a mistake of the bot (400) goes to the evidence. */
  refusal(recorded: RecordedRequest, error: ApiError): Answer;
}

function checkSnowflakes(params: Readonly<Record<string, string>>): void {
  const problems = Object.entries(params).flatMap(([name, value]): Problem[] => {
    if (!name.endsWith("Id") || /^\d{1,20}$/.test(value)) return [];
    const path = [name.replace(/Id$/, "_id")];
    return [{ path, code: "NUMBER_TYPE_COERCE", message: `Value "${value}" is not snowflake.` }];
  });
  if (problems.length > 0) throw invalidForm(problems);
}

function limited({ retryAfterMs = 0, headers, global = false }: Verdict): Answer {
  const body = { message: "You are being rate limited.", retry_after: retryAfterMs / 1000, global };
  return { status: 429, headers, body };
}

/** What a route checks its body with; keys that the specification does not know go to the evidence. */
function createCheck(recorded: RecordedRequest, evidence: Evidence): ApiRequest["check"] {
  return <T>(schema: SchemaName, more: (body: T) => readonly Problem[], body: unknown = recorded.body): T => {
    const { problems, unknownKeys } = checkSpec(schema, body);
    if (unknownKeys.length > 0) {
      evidence.unknownKeys.push({ method: recorded.method, path: recorded.path, keys: unknownKeys });
    }
    const all = problems.length > 0 ? problems : more(body as T);
    if (all.length > 0) throw invalidForm(all);
    return body as T;
  };
}

/** The API behind its HTTP: routes, the bot's token, rate limits and the checks of what was sent. */
export function createRouteServer(deps: {
  readonly token: string;
  readonly limits: RateLimits;
  readonly evidence: Evidence;
  readonly routes: readonly Route[];
}): RouteServer {
  const { token, limits, evidence } = deps;
  const routes = deps.routes.map((route) => ({ ...route, pattern: patternOf(route.path) }));

  const match = (method: string, path: string) => {
    const fitting = routes.filter(({ pattern }) => pattern.test(path));
    const route = fitting.find((candidate) => candidate.method === method);
    if (route !== undefined) return { route, params: { ...route.pattern.exec(path)?.groups } };
    throw fitting.length > 0 ? apiErrors.methodNotAllowed() : apiErrors.notFound();
  };

  const refusal = (recorded: RecordedRequest, error: ApiError): Answer => {
    if (error.status === 400 && !(error instanceof UnavoidableError)) {
      const reason =
        error.body.errors === undefined ? error.message : `${error.message} ${JSON.stringify(error.body.errors)}`;
      evidence.refusals.push({ method: recorded.method, path: recorded.path, reason });
    }
    return { status: error.status, body: error.body };
  };

  return {
    refusal,
    serve(recorded, query) {
      const { route, params } = match(recorded.method, recorded.path);
      if (route.auth === "bot") {
        if (recorded.headers.authorization !== `Bot ${token}`) throw apiErrors.unauthorized();
        const global = limits.takeGlobal();
        if (global !== undefined) return limited(global);
      }
      let headers: Readonly<Record<string, string>> = {};
      if (route.bucket !== undefined) {
        const major = params.channelId ?? params.guildId ?? params.token ?? "";
        const verdict = limits.take(`${route.method} ${route.path}`, major, route.bucket);
        if (verdict.retryAfterMs !== undefined) return limited(verdict);
        headers = verdict.headers;
      }
      try {
        checkSnowflakes(params);
        const { body, files } = recorded;
        const check = createCheck(recorded, evidence);
        const reply: ApiReply = route.handle({ params, query, body, files, recorded, check });
        return { ...reply, headers };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { ...refusal(recorded, error), headers };
      }
    },
  };
}
