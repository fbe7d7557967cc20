import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DiscordAPIError, HTTPError, RateLimitError, RequestMethod, type RouteLike } from "@discordjs/rest";
import type { Log } from "../../basics/log.ts";
import { readBytes } from "../../basics/read-bytes.ts";
import { endOldestBeyond, listen } from "../../operations/listen.ts";
import { createInvalidRequestLimit } from "./invalid-request-limit.ts";
import type { Patience } from "./rate-limits.ts";
import { unlessStopped } from "./request-state.ts";
import { createRest } from "./rest.ts";
import { anyAnswer } from "./route-of.ts";

/** Longest wait in the queue or for a rate limit. A client process (another process of the bot) gives up after 15 s. */
const longestWaitMs = 5_000;
/** `retries` is 0: if the proxy and the client process made 4 attempts each, a request could be sent 16 times. */
const patience: Patience = { limitMs: longestWaitMs, retries: 0 };
const retrySeconds = 1;

/**
 * At most this many connections are open, each with one request under way. 10 processes need 4,000 if each sends 40 requests a
 * second, and a request takes 10 s.
 */
const mostConnections = 4_096;
/** At most this many of the open connections have not sent the token yet. The bot's processes send it with the first packet. */
const mostUnknown = 256;
/** The longest time to receive a request. 25 MiB in this time need 42 Mbit/s, which the bot's processes have in one network. */
const longestRequestMs = 5_000;
/** A connection without traffic is closed after this time. A request waits at most 5 s for its turn and 15 s for Discord. */
const longestSilenceMs = 60_000;
/** A connection without a request is closed after this time. A busy process sends its next request sooner. */
const keptAliveMs = 30_000;
const longestHeaders = 8 * 1_024;
/** Discord's limit on a request with files (docs: Create Message). The bot's files have at most 4 MiB. */
const longestBody = 25 * 1_024 ** 2;

/**
 * These headers of an answer are passed on. `content-type` says how to parse the body, and `date` is Discord's time, with which
 * the doctor checks the clock. Clients read no other headers.
 */
const readByClients = ["content-type", "date"];

const apiBase = "/api/v10/";

/** The proxy refuses a request. A client process logs `message`, for the operator to read. */
class ProxyRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ProxyRefusal";
    this.status = status;
  }
}

const unreachable = "Discord cannot be reached, or something else answers in its place: is DISCORD_API_URL right?";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** `URL` resolves `..` and `%2e%2e`, so no path leaves the API. */
function parseRequest({ method, url = "" }: IncomingMessage) {
  const { pathname, searchParams: query } = URL.parse(url, "http://proxy") ?? new URL("http://proxy");
  if (!pathname.startsWith(apiBase)) {
    // The status must not be 404, which would mean that a channel was deleted.
    throw new ProxyRefusal(421, "421: this is a proxy of Discord's API: DISCORD_API_URL has to end in /api here");
  }
  const known = Object.values(RequestMethod).find((one) => one === method);
  if (!known) throw new ProxyRefusal(405, "405: Discord's API knows no such method");
  const fullRoute: RouteLike = `/${pathname.slice(apiBase.length)}`;
  return { method: known, fullRoute, query };
}

function createForward(deps: { token: string; apiUrl: string; perSecond: number; log: Log }) {
  const { log, ...discord } = deps;
  const shared = { ...discord, patience, invalidRequests: createInvalidRequestLimit({ log }) };
  const requests = createRest(shared);
  const answers = createRest({ ...shared, what: "answers" });

  return async (incoming: IncomingMessage, gone: AbortSignal) => {
    const request = parseRequest(incoming);
    const { "content-type": type } = incoming.headers;
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    // The whole body is read, because it may have to be sent again after a rate limit. If the body is too large, the connection
    // stays open, because the refusal is sent over it.
    const body = await readBytes(incoming.iterator({ destroyOnReturn: false }), longestBody);
    if (!body) throw new ProxyRefusal(413, "413: Discord takes 25 MiB at most");
    const client = anyAnswer.test(request.fullRoute) ? answers : requests;
    const whole = { ...request, headers, ...(body.length === 0 ? {} : { body }), passThroughBody: true };
    const stop = AbortSignal.any([gone, AbortSignal.timeout(longestWaitMs)]);
    return unlessStopped(stop, () => client.queueRequest(whole));
  };
}

/**
 * The scope `shared` shows the client process that this answer does not count towards Discord's ban. Without `seconds`, the
 * client process does not repeat the request.
 */
function limitOf(seconds?: number): Response {
  const after = seconds === undefined ? {} : { "retry-after": String(seconds) };
  const said = { message: "You are being rate limited.", retry_after: seconds, global: false };
  return Response.json(said, { status: 429, headers: { "x-ratelimit-scope": "shared", ...after } });
}

async function refuse(response: ServerResponse, answer: Response) {
  const body = Buffer.from(await answer.arrayBuffer());
  if (response.headersSent) response.destroy();
  else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
}

/** Undefined if Discord cannot be reached, or if its answer cannot be understood. */
function answerTo(error: unknown): Response | undefined {
  if (error instanceof ProxyRefusal) {
    const { message, status } = error;
    return Response.json({ message, code: 0 }, { status, headers: { connection: "close" } });
  }
  if (error instanceof RateLimitError) return limitOf(error.retryAfter / 1_000 || undefined);
  if (error instanceof DiscordAPIError) return Response.json(error.rawError, { status: error.status });
  return error instanceof HTTPError ? new Response(null, { status: error.status }) : undefined;
}

/**
 * Serves Discord's API to the bot's other processes (`DISCORD_API_URL=http://host:port/api`). So they share Discord's limits:
 * the requests a second, the rate limit of each route, and the refusals before Discord bans an address. The proxy serves only
 * requests with the bot's own token, and `GET /healthz` without a token. `apiUrl` is the base of Discord's own API without a
 * version. `perSecond` is Discord's global limit for this bot. Throws `ListenError`.
 */
export async function startRestProxy(deps: {
  readonly token: string;
  readonly apiUrl: string;
  readonly perSecond: number;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}): Promise<{
  /** Resolves when requests under way are answered. */
  close(): Promise<void>;
}> {
  const { token, apiUrl, perSecond, log } = deps;
  const authorization = digest(`Bot ${token}`);
  const forward = createForward({ token, apiUrl, perSecond, log });
  let isDown = false;
  const underWay = new Set<ServerResponse>();

  async function passOn(request: IncomingMessage, response: ServerResponse) {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ""), authorization)) {
      throw new ProxyRefusal(
        401,
        "401: this proxy serves the bot whose DISCORD_TOKEN it has, and this is another token",
      );
    }
    letStay(request.socket);
    const gone = new AbortController();
    underWay.add(response);
    response.once("close", () => {
      underWay.delete(response);
      gone.abort();
    });
    const answer = await forward(request, gone.signal);
    if (answer === undefined) return refuse(response, limitOf(retrySeconds));
    if (isDown) log.info({}, "Discord can be reached again");
    isDown = false;
    const body = Buffer.from(await answer.arrayBuffer());
    response.statusCode = answer.status;
    for (const name of readByClients) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.end(body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    if (request.method === "GET" && request.url === "/healthz") {
      const type = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      response.writeHead(200, { ...type, connection: "close" }).end("ok\n");
      return;
    }
    try {
      await passOn(request, response);
    } catch (error) {
      const known = answerTo(error);
      if (!known && !isDown) {
        log.warn({ err: error }, unreachable);
        isDown = true;
      }
      await refuse(response, known ?? new Response(null, { status: 502 }));
    }
  }

  const options = {
    headersTimeout: longestRequestMs,
    requestTimeout: longestRequestMs,
    connectionsCheckingInterval: longestRequestMs,
    keepAliveTimeout: keptAliveMs,
    maxHeaderSize: longestHeaders,
  };
  const server = createServer(options, (request, response) => {
    void serve(request, response).catch((error: unknown) => {
      response.destroy();
      log.warn({ err: error }, "the proxy could not answer a request; the process that sent it tries again");
    });
  });
  server.maxConnections = mostConnections;
  const letStay = endOldestBeyond(mostUnknown, server);
  server.setTimeout(longestSilenceMs);
  await listen(server, deps);
  // This happens, for example, when the machine is out of file descriptors.
  server.on("error", (error) => log.warn({ err: error }, "the proxy's server failed"));
  return {
    async close() {
      server.close();
      const answered = [...underWay].map((response) => {
        if (!response.headersSent) response.setHeader("connection", "close");
        return once(response, "close");
      });
      await Promise.all(answered);
      server.closeAllConnections();
    },
  };
}
