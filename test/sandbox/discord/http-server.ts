import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { refusedRequest } from "../guard.ts";
import type { Bus } from "./bus.ts";
import { ApiError, apiErrors } from "./errors.ts";
import type { Faults } from "./faults.ts";
import type { Evidence, RecordedRequest } from "./model.ts";
import type { RateLimits } from "./rate-limits.ts";
import { parseBody, readBody } from "./request-body.ts";
import { type Answer, createRouteServer } from "./route-server.ts";
import type { Route } from "./routes.ts";
import type { World } from "./world.ts";

/** A request that was read to its end. */
interface Arrival {
  readonly recorded: RecordedRequest;
  readonly url: URL;
  /** The version of the API that its path names, if any. */
  readonly version: string | undefined;
  /** Why its body could not be parsed. */
  readonly bodyError?: unknown;
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

async function receive(request: IncomingMessage, now: () => number): Promise<Arrival> {
  const url = new URL(request.url ?? "/", "http://discord");
  const version = /^\/api\/v(\d+)(?=\/)/.exec(url.pathname);
  const bytes = await readBody(request);
  const contentType = request.headers["content-type"] ?? "";
  const parsed = await parseBody(bytes, contentType).catch((bodyError: unknown) => ({
    body: undefined,
    files: [],
    bodyError,
  }));
  const recorded: RecordedRequest = {
    method: request.method ?? "GET",
    path: decoded(url.pathname.slice(version?.[0].length ?? 0)),
    query: Object.fromEntries(url.searchParams),
    headers: headersOf(request),
    body: parsed.body,
    files: parsed.files,
    at: now(),
  };
  return { recorded, url, version: version?.[1], bodyError: "bodyError" in parsed ? parsed.bodyError : undefined };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const text = body === undefined ? undefined : JSON.stringify(body);
  response.writeHead(status, {
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    ...headers,
  });
  response.end(text);
}

/** The file behind a signed address, given as path and query. */
function fileAt(world: World, address: string): { bytes: Buffer; contentType: string } | undefined {
  const { pathname } = new URL(address, "http://files");
  const signed = [...world.attachments.values()].some(({ url }) => url.endsWith(address));
  return signed ? world.files.get(pathname) : undefined;
}

/** The pretend Discord's HTTP side: records, breaks on demand, and hands over to the routes. */
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
  const { now, bus, world, faults, evidence } = deps;
  const routes = createRouteServer(deps);

  const answerTo = ({ recorded, url, version, bodyError }: Arrival): Answer => {
    try {
      if (version === undefined) throw apiErrors.notFound();
      if (version !== "10" && version !== "9") throw apiErrors.invalidApiVersion();
      if (bodyError !== undefined) throw bodyError;
      return routes.serve(recorded, url.searchParams);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return routes.refusal(recorded, error);
    }
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refused = refusedRequest(request, "programs");
    if (refused !== undefined) {
      const body = { message: `Refused: ${refused}.`, code: 0 };
      return send(response, { status: 403, body, headers: { connection: "close" } });
    }
    const arrival = await receive(request, now);
    const { recorded, version } = arrival;
    evidence.requests.push(recorded);
    bus.emit("request", recorded);
    const halfWayMs = faults.latencyMs(recorded) / 2;
    const end = (status: number) => {
      recorded.status = status;
      bus.emit("response", recorded);
    };
    const answerWith = async (answer: Answer) => {
      if (halfWayMs > 0) await delay(halfWayMs);
      send(response, answer);
      end(answer.status);
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
    const file = version === undefined && recorded.method === "GET" ? fileAt(world, request.url ?? "") : undefined;
    if (file !== undefined) {
      const headers = { "content-type": file.contentType, "content-length": file.bytes.length };
      response.writeHead(200, headers).end(file.bytes);
      return end(200);
    }
    const answer = answerTo(arrival);
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
