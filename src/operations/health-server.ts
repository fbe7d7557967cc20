import { createServer, type IncomingMessage } from "node:http";
import type { Log } from "../basics/log.ts";
import { endOldestBeyond, listen } from "./listen.ts";

/** Maximum number of connections. A scraper, a health check and an operator need one each, for some milliseconds. */
const mostConnections = 16;
/**
 * Time limit for a request. The client is near, so a request is one packet. The time starts with the connection, so a
 * connection without a request also ends.
 */
const requestTimeoutMs = 2_000;
const checkEveryMs = 1_000;
/** Time limit for a silent connection. It includes the time for the answer, because the event loop may be busy. */
const silenceTimeoutMs = 10_000;

/** The data that the server shows. */
export interface HealthSources {
  /** The reasons why the process does not do its work, a line each. */
  notReady(): readonly string[];
  metrics(): Promise<string>;
  readonly metricsType: string;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

async function answer({ method, url }: IncomingMessage, sources: HealthSources): Promise<Answer> {
  if (method !== "GET") return { status: 405, body: "Only GET is answered here.\n" };
  switch (url?.split("?")[0]) {
    case "/healthz":
      return { status: 200, body: "ok\n" };
    case "/readyz": {
      const reasons = sources.notReady();
      return reasons.length === 0
        ? { status: 200, body: "ready\n" }
        : { status: 503, body: reasons.map((reason) => `${reason}\n`).join("") };
    }
    case "/metrics":
      return { status: 200, type: sources.metricsType, body: await sources.metrics() };
    default:
      return { status: 404, body: "There are /healthz, /readyz and /metrics.\n" };
  }
}

/**
 * Serves `GET /healthz` (200 while the event loop runs), `/readyz` (200, or 503 with the reasons) and `/metrics`. Every
 * request has a connection of its own, and its content is not used.
 *
 * @throws ListenError
 */
export async function startHealthServer(
  deps: HealthSources & { readonly host: string; readonly port: number; readonly log: Pick<Log, "warn"> },
): Promise<{ close(): void }> {
  const options = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
  };
  const server = createServer(options, (request, response) => {
    answer(request, deps).then(
      ({ status, type = "text/plain; charset=utf-8", body }) => {
        response.statusCode = status;
        response.setHeaders(new Headers({ "content-type": type, "cache-control": "no-store", connection: "close" }));
        response.end(body);
      },
      (error: unknown) => {
        deps.log.warn({ err: error }, "the metrics could not be read");
        response.destroy();
      },
    );
  });
  server.maxRequestsPerSocket = 1;
  endOldestBeyond(mostConnections, server);
  server.setTimeout(silenceTimeoutMs);
  await listen(server, deps);
  // For example, without free file descriptors the client gets no answer. The bot itself continues.
  server.on("error", (error) => deps.log.warn({ err: error }, "the server for health and metrics failed"));
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
