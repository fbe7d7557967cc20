import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Log } from "../basics/log.ts";
import { keepFew } from "./keep-few.ts";
import { listen } from "./listen.ts";

/** A scraper, a health check and an operator need one each. */
const mostConnections = 16;
/** Whoever asks is near: it is one packet there and one back. */
const longestRequestMs = 2_000;
const lookEveryMs = 1_000;
/** For the answer, too: a busy event loop takes its time. */
const longestSilenceMs = 10_000;
const longestHeaders = 8 * 1_024;
/** Who asks for metrics more often gets those of a moment ago: making them costs milliseconds. */
const metricsKeptMs = 1_000;

/** What the server tells. */
export interface HealthSources {
  /** What keeps the process from doing its work, a line each. */
  notReady(): readonly string[];
  metrics(): Promise<string>;
  readonly metricsType: string;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

function answers({ notReady, metrics, metricsType }: HealthSources) {
  let kept: { readonly at: number; readonly text: Promise<string> } | undefined;

  function freshMetrics(): Promise<string> {
    const now = performance.now();
    if (kept === undefined || now - kept.at >= metricsKeptMs) kept = { at: now, text: metrics() };
    return kept.text;
  }

  return async ({ method, url, headers }: IncomingMessage): Promise<Answer> => {
    if (method !== "GET") return { status: 405, body: "Only GET is answered here.\n" };
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
    if (hasBody) return { status: 413, body: "No request here has a body.\n" };
    switch (url?.split("?")[0]) {
      case "/healthz":
        return { status: 200, body: "ok\n" };
      case "/readyz": {
        const reasons = notReady();
        return reasons.length === 0
          ? { status: 200, body: "ready\n" }
          : { status: 503, body: reasons.map((reason) => `${reason}\n`).join("") };
      }
      case "/metrics":
        return { status: 200, type: metricsType, body: await freshMetrics() };
      default:
        return { status: 404, body: "There are /healthz, /readyz and /metrics.\n" };
    }
  };
}

/**
 * Answers `GET /healthz` (200 while the event loop turns), `/readyz` (200, or 503 with the reasons) and `/metrics`.
 * Every request has a connection of its own, and nothing that it sends is kept.
 *
 * @throws ListenError
 */
export async function startHealthServer(
  deps: HealthSources & { readonly host: string; readonly port: number; readonly log: Pick<Log, "warn"> },
): Promise<{ close(): void }> {
  const answerTo = answers(deps);

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const { status, type = "text/plain; charset=utf-8", body } = await answerTo(request);
    response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      connection: "close",
      ...(status === 405 ? { allow: "GET" } : {}),
    });
    response.end(body);
  }

  const options = {
    headersTimeout: longestRequestMs,
    requestTimeout: longestRequestMs,
    connectionsCheckingInterval: lookEveryMs,
    maxHeaderSize: longestHeaders,
  };
  const server = createServer(options, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      deps.log.warn({ err: error }, "a look at the metrics failed");
      response.destroy();
    });
  });
  server.maxRequestsPerSocket = 1;
  // Many requests in one piece would all be parsed and refused.
  server.on("dropRequest", (_, socket) => socket.destroy());
  const told = "too many connections for health and metrics: the oldest are ended; told once";
  keepFew(server, { most: mostConnections, tell: () => deps.log.warn({ most: mostConnections }, told) });
  server.setTimeout(longestSilenceMs);
  await listen(server, deps);
  // Out of file descriptors, say: whoever looks finds nothing, and the bot goes on.
  server.on("error", (error) => deps.log.warn({ err: error }, "the server for health and metrics failed"));
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
