import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { refusedRequest } from "../guard.ts";
import { ApiError } from "./errors.ts";
import type { Faults } from "./faults.ts";
import type { DiscordBus, Evidence, RecordedRequest } from "./model.ts";
import { parseBody } from "./request-body.ts";
import type { Answer, createRouteServer } from "./route-server.ts";
import type { World } from "./world.ts";

const apiBase = /^\/api\/v10(?=\/)/;

interface Arrival {
  readonly recorded: RecordedRequest;
  readonly url: URL;
  readonly bodyError?: ApiError;
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

async function receive(request: IncomingMessage, now: () => number): Promise<Arrival> {
  const url = new URL(request.url ?? "/", "http://discord");
  const bytes = await buffer(request);
  const parsed = await parseBody(bytes, request.headers["content-type"] ?? "").catch((bodyError: unknown) => {
    if (!(bodyError instanceof ApiError)) throw bodyError;
    return { body: undefined, files: [], bodyError };
  });
  const { bodyError, ...content } = { bodyError: undefined, ...parsed };
  const recorded: RecordedRequest = {
    method: request.method ?? "GET",
    // discord.js sends "@original" as "%40original".
    path: url.pathname.replace(apiBase, "").replace("%40", "@"),
    query: Object.fromEntries(url.searchParams),
    headers: headersOf(request),
    ...content,
    at: now(),
  };
  return { recorded, url, ...(bodyError === undefined ? {} : { bodyError }) };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const content = Buffer.isBuffer(body) || body === undefined ? body : Buffer.from(JSON.stringify(body));
  const described = content && { "content-type": "application/json", "content-length": content.length };
  response.writeHead(status, { ...described, ...headers }).end(content);
}

/** `address`: path and query of a signed URL. */
function fileAt({ attachments, files }: World, address: string): Answer | undefined {
  const isSigned = [...attachments.values()].some(({ url }) => url.endsWith(address));
  const file = isSigned ? files.get(new URL(address, "http://files").pathname) : undefined;
  return file && { status: 200, body: file.bytes, headers: { "content-type": file.contentType } };
}

/** Records each request, applies faults, and calls the routes. */
export function createHttpServer(deps: {
  readonly now: () => number;
  readonly bus: DiscordBus;
  readonly world: World;
  readonly faults: Faults;
  readonly evidence: Evidence;
  readonly routes: ReturnType<typeof createRouteServer>;
}): Server {
  const { now, bus, world, faults, evidence, routes } = deps;

  function answerTo({ recorded, url, bodyError }: Arrival): Answer {
    const isOfApi = apiBase.test(url.pathname);
    if (!isOfApi)
      return fileAt(world, url.pathname + url.search) ?? { status: 404, body: { message: "404: Not Found" } };
    return bodyError === undefined ? routes.serve(recorded, url.searchParams) : routes.refusal(recorded, bodyError);
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refusedRequest(request, "programs");
    if (refused !== undefined) {
      const body = { message: `Refused: ${refused}.`, code: 0 };
      return send(response, { status: 403, body, headers: { connection: "close" } });
    }
    const arrival = await receive(request, now);
    const { recorded } = arrival;
    evidence.requests.push(recorded);
    bus.emit("request", recorded);
    const fault = faults.take(recorded);
    if (fault.delayMs !== undefined) await delay(fault.delayMs);
    const answer = fault.drop === "before" ? undefined : (fault.answer ?? answerTo(arrival));
    if (answer === undefined || fault.drop === "after") {
      request.socket.destroy();
      recorded.status = 0;
    } else {
      send(response, answer);
      recorded.status = answer.status;
    }
    bus.emit("response", recorded);
  }

  return createServer((request, response) => {
    onRequest(request, response).catch((error: unknown) => {
      // The sandbox itself has a fault. Without this answer, the bot would wait.
      console.error("pretend Discord failed", error);
      if (!response.headersSent) send(response, { status: 500, body: { message: String(error), code: 0 } });
    });
  });
}
