import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { refusedRequest } from "../guard.ts";
import type { Bus } from "./bus.ts";
import { ApiError, apiErrors, invalidForm, type Problem } from "./errors.ts";
import type { Faults } from "./faults.ts";
import type { RecordedRequest, UploadedPart } from "./model.ts";
import type { RateLimits, Verdict } from "./rate-limits.ts";
import { type ApiReply, type ApiRequest, patternOf, type Route } from "./routes.ts";
import { checkSpec, type SchemaName } from "./spec.ts";
import type { World } from "./world.ts";

/** What the server saw, for tests to look at. */
export interface Evidence {
  readonly requests: RecordedRequest[];
  readonly refusals: { method: string; path: string; reason: string }[];
  readonly unknownKeys: { method: string; path: string; keys: string[] }[];
  /** What the bot sent through the gateway, without heartbeats; `token` where the token stood in an Identify or Resume. */
  readonly frames: unknown[];
  /** Every file that a person uploaded. */
  readonly uploads: { name: string; bytes: Buffer }[];
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Docs: Reference, "Uploading Files": 10 MiB for each file; and a request takes 10 of them. */
const MAX_FILE = 10 * 1024 * 1024;
const MAX_FILES = 10;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiErrors.invalidJson();
  }
}

async function parseBody(bytes: Buffer, contentType: string): Promise<{ body: unknown; files: UploadedPart[] }> {
  if (bytes.length > MAX_FILE * (MAX_FILES + 1)) throw apiErrors.tooLarge();
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (!contentType.startsWith("multipart/form-data")) {
    if (contentType.startsWith("application/json")) return { body: parseJson(bytes.toString("utf8")), files: [] };
    throw invalidForm([
      {
        path: ["_misc"],
        code: "CONTENT_TYPE_INVALID",
        message: 'Expected "Content-Type" header to be one of {"application/json","multipart/form-data"}.',
      },
    ]);
  }
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => Promise.reject(apiErrors.invalidJson()));
  const files: UploadedPart[] = [];
  let body: unknown;
  for (const [field, value] of form) {
    if (typeof value === "string") {
      if (field === "payload_json") body = parseJson(value);
    } else {
      const part = Buffer.from(await value.arrayBuffer());
      files.push({ field, name: value.name, contentType: value.type || "application/octet-stream", bytes: part });
    }
  }
  if (files.length > MAX_FILES || files.some(({ bytes: { length } }) => length > MAX_FILE)) throw apiErrors.tooLarge();
  return { body: body ?? {}, files };
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

/** discord.js sends "@original" as "%40original". */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function checkSnowflakes(params: Readonly<Record<string, string>>): void {
  const problems = Object.entries(params).flatMap(([name, value]): Problem[] => {
    if (!name.endsWith("Id") || /^\d{1,20}$/.test(value)) return [];
    const path = [name.replace(/Id$/, "_id")];
    return [{ path, code: "NUMBER_TYPE_COERCE", message: `Value "${value}" is not snowflake.` }];
  });
  if (problems.length > 0) throw invalidForm(problems);
}

/** The pretend Discord's HTTP side: records, breaks on demand, checks, limits, and hands over to the routes. */
export function createHttpServer(deps: {
  readonly now: () => number;
  readonly bus: Bus;
  readonly world: World;
  readonly token: string;
  readonly limits: RateLimits;
  readonly faults: Faults;
  readonly evidence: Evidence;
  readonly routes: readonly Route[];
}): Server {
  const { now, bus, world, token, limits, faults, evidence } = deps;
  const routes = deps.routes.map((route) => ({ ...route, pattern: patternOf(route.path) }));

  const match = (method: string, path: string) => {
    const fitting = routes.filter(({ pattern }) => pattern.test(path));
    const route = fitting.find((candidate) => candidate.method === method);
    if (route !== undefined) return { route, params: { ...route.pattern.exec(path)?.groups } };
    throw fitting.length > 0 ? apiErrors.methodNotAllowed() : apiErrors.notFound();
  };

  const checker = (recorded: RecordedRequest): ApiRequest["check"] =>
    function check<T>(schema: SchemaName, more: (body: T) => readonly Problem[], body: unknown = recorded.body): T {
      const { problems, unknownKeys } = checkSpec(schema, body);
      if (unknownKeys.length > 0) {
        evidence.unknownKeys.push({ method: recorded.method, path: recorded.path, keys: unknownKeys });
      }
      const all = problems.length > 0 ? problems : more(body as T);
      if (all.length > 0) throw invalidForm(all);
      return body as T;
    };

  const limited = ({ retryAfterMs = 0, headers, global = false }: Verdict): Answer => ({
    status: 429,
    headers,
    body: { message: "You are being rate limited.", retry_after: retryAfterMs / 1000, global },
  });

  const serve = (
    recorded: RecordedRequest,
    files: UploadedPart[],
    query: URLSearchParams,
    fault: ApiError | undefined,
  ): Answer => {
    const { route, params } = match(recorded.method, recorded.path);
    if (route.auth === "bot") {
      if (recorded.headers.authorization !== `Bot ${token}`) throw apiErrors.unauthorized();
      const global = limits.takeGlobal();
      if (global !== undefined) return limited(global);
    }
    // Docs: Rate Limits: a global refusal says nothing of the route's own limit.
    if (fault?.headers["x-ratelimit-global"] !== undefined) throw fault;
    let headers: Readonly<Record<string, string>> = {};
    if (route.bucket !== undefined) {
      const major = params.channelId ?? params.guildId ?? params.token ?? "";
      const verdict = limits.take(`${route.method} ${route.path}`, major, route.bucket);
      if (verdict.retryAfterMs !== undefined) return limited(verdict);
      headers = verdict.headers;
    }
    try {
      if (fault !== undefined) throw fault;
      checkSnowflakes(params);
      const request: ApiRequest = { params, query, body: recorded.body, files, recorded, check: checker(recorded) };
      const reply: ApiReply = route.handle(request);
      return { ...reply, headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...refusal(recorded, error), headers: { ...headers, ...error.headers } };
    }
  };

  const refusal = (recorded: RecordedRequest, error: ApiError): Answer => {
    if (error.status === 400) {
      const reason =
        error.body.errors === undefined ? error.message : `${error.message} ${JSON.stringify(error.body.errors)}`;
      evidence.refusals.push({ method: recorded.method, path: recorded.path, reason });
    }
    return { status: error.status, body: error.body, headers: error.headers };
  };

  const serveFile = (path: string): { bytes: Buffer; contentType: string } | undefined => {
    const url = new URL(path, "http://files");
    const signed = [...world.attachments.values()].some((attachment) => attachment.url.endsWith(path));
    return signed ? world.files.get(url.pathname) : undefined;
  };

  const send = (response: ServerResponse, { status, body, headers = {} }: Answer): void => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    response.writeHead(status, {
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      ...headers,
    });
    response.end(text);
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refused = refusedRequest(request, "programs");
    if (refused !== undefined) {
      const body = { message: `Refused: ${refused}.`, code: 0 };
      return send(response, { status: 403, body, headers: { connection: "close" } });
    }
    const url = new URL(request.url ?? "/", "http://discord");
    const version = /^\/api\/v(\d+)(?=\/)/.exec(url.pathname);
    const bytes = await readBody(request);
    const contentType = request.headers["content-type"] ?? "";
    const parsed = await parseBody(bytes, contentType).catch((error: unknown) => ({ error, files: [] }));
    const { files } = parsed;
    const recorded: RecordedRequest = {
      method: request.method ?? "GET",
      path: decoded(url.pathname.slice(version?.[0].length ?? 0)),
      query: Object.fromEntries(url.searchParams),
      headers: headersOf(request),
      body: "error" in parsed ? undefined : parsed.body,
      files,
      at: now(),
    };
    evidence.requests.push(recorded);
    bus.emit("request", recorded);
    const halfWayMs = faults.latencyMs(recorded) / 2;
    const end = (status: number, sent: Answer["headers"] = {}) => {
      recorded.status = status;
      if (status === 429) recorded.limitedBy = sent["x-ratelimit-scope"];
      bus.emit("response", recorded);
    };
    const answerWith = async (answer: Answer) => {
      if (halfWayMs > 0) await delay(halfWayMs);
      send(response, answer);
      end(answer.status, answer.headers);
    };
    const cut = () => {
      request.socket.destroy();
      end(0);
    };

    if (halfWayMs > 0) await delay(halfWayMs);
    const fault = faults.take(recorded);
    if (fault?.delayMs !== undefined) await delay(fault.delayMs);
    if (fault?.drop === "before") return cut();
    if (fault?.answer !== undefined) return answerWith(fault.answer);
    const file = version === null && recorded.method === "GET" ? serveFile(request.url ?? "") : undefined;
    if (file !== undefined) {
      response
        .writeHead(200, { "content-type": file.contentType, "content-length": file.bytes.length })
        .end(file.bytes);
      return end(200);
    }
    let answer: Answer;
    try {
      if (version === null) throw apiErrors.notFound();
      if (version[1] !== "10" && version[1] !== "9") throw apiErrors.invalidApiVersion();
      if ("error" in parsed) throw parsed.error;
      answer = serve(recorded, files, url.searchParams, fault?.refusal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      answer = refusal(recorded, error);
    }
    if (fault?.drop === "after") return cut();
    await answerWith(answer);
  };

  return createServer((request, response) => {
    onRequest(request, response).catch((error: unknown) => {
      // A mistake in the sandbox itself: say so loudly instead of hanging the bot.
      console.error("pretend Discord failed", error);
      if (!response.headersSent) send(response, { status: 500, body: { message: String(error), code: 0 } });
    });
  });
}
