import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Log } from "../basics/log.ts";

/** A scraper, a health check and an operator need one each. */
const mostConnections = 16;
/** Whoever asks is near: it is one packet there and one back. */
const longestRequestMs = 5_000;
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

/** Nothing can listen there. The message is for the operator. */
export class ListenError extends Error {
  readonly code = "listen";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
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

function portProblem({ host, port }: { host: string; port: number }, error: unknown): ListenError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const what =
    code === "EADDRINUSE"
      ? `HTTP_PORT ${port} is in use on ${host} already; choose another one, or end what listens there`
      : code === "EACCES"
        ? `HTTP_PORT ${port} may not be opened by this user; choose one above 1023`
        : `HTTP_HOST ${host} is no address of this machine; leave HTTP_HOST out, or set it to 0.0.0.0 for all addresses`;
  return new ListenError(what, error);
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
    connectionsCheckingInterval: longestRequestMs,
    maxHeaderSize: longestHeaders,
  };
  const server = createServer(options, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      deps.log.warn({ err: error }, "a look at the metrics failed");
      response.destroy();
    });
  });
  server.maxConnections = mostConnections;
  server.setTimeout(2 * longestRequestMs);
  try {
    server.listen(deps.port, deps.host);
    await once(server, "listening");
  } catch (error) {
    throw portProblem(deps, error);
  }
  // Out of file descriptors, say: whoever looks finds nothing, and the bot goes on.
  server.on("error", (error) => deps.log.warn({ err: error }, "the server for health and metrics failed"));
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
