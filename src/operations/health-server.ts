import { createServer, type IncomingMessage } from "node:http";
import type { Log } from "../basics/log.ts";
import { endOldestBeyond, ListenError, listen } from "./listen.ts";
import type { Shutdown } from "./shutdown.ts";

/** A scraper, a health check and an operator need one connection each, for some milliseconds. */
const mostConnections = 16;
/** The time starts with the connection, so a connection without a request ends, too. */
const requestTimeoutMs = 2_000;
const checkEveryMs = 1_000;
/** Ends a silent connection. This time is longer than {@link requestTimeoutMs}, because a busy event loop answers late. */
const silenceTimeoutMs = 10_000;
const listenAgainMs = 60_000;

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Pick<Log, "warn">;
  text(): Promise<string>;
  readonly contentType: string;
  /** Why the process is not ready, one line each. */
  notReady(): readonly string[];
}

const plain = "text/plain; charset=utf-8";

async function answer({ method, url }: IncomingMessage, options: HealthServerOptions) {
  if (method !== "GET") return { status: 405, type: plain, body: "Only GET is answered here.\n" };
  switch (url?.split("?")[0]) {
    case "/healthz":
      return { status: 200, type: plain, body: "ok\n" };
    case "/readyz": {
      const reasons = options.notReady();
      const isReady = reasons.length === 0;
      return { status: isReady ? 200 : 503, type: plain, body: `${isReady ? "ready" : reasons.join("\n")}\n` };
    }
    case "/metrics":
      return { status: 200, type: options.contentType, body: await options.text() };
    default:
      return { status: 404, type: plain, body: "There are /healthz, /readyz and /metrics.\n" };
  }
}

/**
 * Serves `GET /healthz` (200 while the event loop runs), `/readyz` (200, or 503 with the reasons) and `/metrics`. Each
 * connection serves one request.
 *
 * @throws ListenError
 */
export async function startHealthServer(options: HealthServerOptions): Promise<{ close(): void }> {
  const { log } = options;
  const limits = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
  };
  const server = createServer(limits, (request, response) => {
    answer(request, options).then(
      ({ status, type, body }) => {
        response.writeHead(status, { "content-type": type, "cache-control": "no-store", connection: "close" });
        response.end(body);
      },
      (error: unknown) => {
        log.warn({ err: error }, "the metrics could not be read");
        response.destroy();
      },
    );
  });
  server.maxRequestsPerSocket = 1;
  endOldestBeyond(mostConnections, server);
  server.setTimeout(silenceTimeoutMs);
  await listen(server, options);
  // This happens, for example, when the machine is out of file descriptors.
  server.on("error", (error) => log.warn({ err: error }, "the server for health and metrics failed"));
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** If the server cannot listen, logs this once and tries again every minute. */
export async function serveHealth(options: HealthServerOptions, log: Log, shutdown: Shutdown): Promise<void> {
  let server: { close(): void } | undefined;
  let again: NodeJS.Timeout | undefined;

  async function attempt(isFirst: boolean) {
    try {
      server = await startHealthServer(options);
      if (!isFirst) log.info({}, "health and metrics are served now");
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      again = setTimeout(() => void attempt(false), listenAgainMs).unref();
      const message = `health and metrics are not served; trying again every minute: ${error.message}`;
      if (isFirst) log.error({ err: error }, message);
    }
  }

  shutdown.add({
    "health and metrics": () => {
      clearTimeout(again);
      server?.close();
    },
  });
  await attempt(true);
}
