import { ApiError, apiErrors, invalidForm, type Problem, problemIf, UnavoidableError } from "./errors.ts";
import type { Evidence, RecordedRequest } from "./model.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type ApiReply, type ApiRequest, patternOf, type Route } from "./routes.ts";
import { checkSpec, type SchemaName } from "./spec.ts";

export interface Answer extends ApiReply {
  readonly headers?: Readonly<Record<string, string>>;
}

function checkSnowflakes(params: Readonly<Record<string, string>>): void {
  const problems = Object.entries(params).flatMap(([name, value]) => {
    const isWrong = name.endsWith("Id") && !/^\d{1,20}$/.test(value);
    return problemIf(isWrong, [name.replace(/Id$/, "_id")], "NUMBER_TYPE_COERCE", `Value "${value}" is not snowflake.`);
  });
  if (problems.length > 0) throw invalidForm(problems);
}

function limited(retryAfterMs: number, global: boolean, headers: Readonly<Record<string, string>>): Answer {
  const body = { message: "You are being rate limited.", retry_after: retryAfterMs / 1000, global };
  return { status: 429, headers, body };
}
const globalHeaders = { "x-ratelimit-global": "true", "x-ratelimit-scope": "global", "retry-after": "1" };

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

/** The API without its HTTP server: routes, the bot's token, rate limits, and checks of the requests. */
export function createRouteServer(deps: {
  readonly token: string;
  readonly limits: RateLimits;
  readonly evidence: Evidence;
  readonly routes: readonly Route[];
}) {
  const { token, limits, evidence } = deps;
  const routes = deps.routes.map((route) => ({ ...route, pattern: patternOf(route.path) }));

  function match(method: string, path: string) {
    const fitting = routes.filter(({ pattern }) => pattern.test(path));
    const route = fitting.find((candidate) => candidate.method === method);
    if (route !== undefined) return { route, params: { ...route.pattern.exec(path)?.groups } };
    throw fitting.length > 0 ? apiErrors.methodNotAllowed() : apiErrors.notFound();
  }

  function refusal(recorded: RecordedRequest, error: ApiError): Answer {
    if (error.status === 400 && !(error instanceof UnavoidableError)) {
      const { errors } = error.body;
      const reason = errors === undefined ? error.message : `${error.message} ${JSON.stringify(errors)}`;
      evidence.refusals.push({ method: recorded.method, path: recorded.path, reason });
    }
    return { status: error.status, body: error.body };
  }

  function answer(recorded: RecordedRequest, query: URLSearchParams): Answer {
    const { route, params } = match(recorded.method, recorded.path);
    if (route.auth === "bot") {
      if (recorded.headers.authorization !== `Bot ${token}`) throw apiErrors.unauthorized();
      const waitMs = limits.takeGlobal();
      if (waitMs !== undefined) return limited(waitMs, true, globalHeaders);
    }
    const major = params.channelId ?? params.guildId ?? params.token ?? "";
    const verdict = route.bucket && limits.take(`${route.method} ${route.path}`, major, route.bucket);
    if (verdict?.retryAfterMs !== undefined) return limited(verdict.retryAfterMs, false, verdict.headers);
    const { headers = {} } = verdict ?? {};
    try {
      checkSnowflakes(params);
      const { body, files } = recorded;
      return { ...route.handle({ params, query, body, files, check: createCheck(recorded, evidence) }), headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...refusal(recorded, error), headers };
    }
  }

  return {
    refusal,
    serve(recorded: RecordedRequest, query: URLSearchParams): Answer {
      try {
        return answer(recorded, query);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return refusal(recorded, error);
      }
    },
  };
}
