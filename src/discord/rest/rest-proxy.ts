import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DiscordAPIError, HTTPError, RateLimitError, RequestMethod, type RouteLike } from "@discordjs/rest";
import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import { endOldestBeyond, listen } from "../../operations/listen.ts";
import { createInvalidRequestLimit } from "./invalid-request-limit.ts";
import { usualPerSecond } from "./request-queue.ts";
import { createRest, type Patience, waitOf } from "./rest.ts";

/**
 * How long the proxy waits. A client process (one of the bot's other processes) gives up after 15 s. So the proxy
 * rejects a request that has waited for 5 s in the queue, or would wait for 5 s for a rate limit. The client waits and
 * repeats it. The proxy repeats nothing: 4 attempts here and 4 at the client would be 16.
 */
const patience: Patience = { turnMs: 5_000, limitMs: 5_000, retries: 0 };

/**
 * Maximum number of connections. Each request that runs or waits has one: 10 processes with 40 requests a second, for
 * 10 s.
 */
const mostConnections = 4_096;
/**
 * Maximum number of connections that have not sent the token yet. Processes of the bot send it with the first packet.
 */
const mostUnknown = 256;
/** Longest time to receive a request. 25 MiB in 5 s are 40 Mbit/s, and processes of the bot are on the same network. */
const longestRequestMs = 5_000;
/**
 * A connection without traffic for this long is closed. Waiting (10 s) and Discord's answer (15 s) cause no traffic,
 * and end earlier.
 */
const longestSilenceMs = 60_000;
/**
 * An idle connection is closed after this time. A busy process sends its next request sooner; a new connection costs a
 * handshake.
 */
const keptAliveMs = 30_000;
const longestHeaders = 8 * 1_024;
/** Discord's limit on a request with files (docs: Create Message). The bot's own messages have a few kB. */
const longestBody = 25 * 1_024 ** 2;

/**
 * The headers that the proxy passes on: how to parse the body, and Discord's time, with which the doctor checks the
 * clock. Rate limits are handled in the proxy. Other headers are about a connection, or about a proxy in between (a
 * `Trailer` header must not even be repeated).
 */
const readByClients = ["content-type", "date"];

const methodSchema = z.enum(RequestMethod);
/**
 * Matches paths of API version 10, which the bot uses. It matches no other host, no empty part, and only single encoded
 * characters.
 */
const apiPath = /^\/api\/v10((?:\/[\w%@.~:!$&'()*+,;=-]+)+)$/;
/** Matches answers to interactions. They need no token, and do not count towards Discord's global limit. */
const answerRoute = /^\/(?:interactions\/\d+\/[^/]+\/callback|webhooks\/\d+\/[^/]+(?:\/.*)?)$/;

/** Why a request is not forwarded. `message` is for the operator, who reads it in a log of the bot. */
class ProxyRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ProxyRefusal";
    this.status = status;
  }
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Reads the method and route of a request that may be forwarded. Throws a {@link ProxyRefusal} for others. */
function parseRequest({ method, url = "" }: IncomingMessage) {
  const whole = URL.parse(url, "http://proxy");
  const path = url.split("?")[0] ?? "";
  const route = apiPath.exec(path)?.[1];
  // `..` in a path, also as `%2e`, changes the path when the URL is parsed. Refuse it.
  if (route === undefined || whole?.pathname !== path || whole.host !== "proxy") {
    // Not 404: for a channel, 404 means that it was deleted.
    throw new ProxyRefusal(421, "421: this is a proxy of Discord's API: DISCORD_API_URL has to end in /api here");
  }
  const known = methodSchema.safeParse(method);
  if (!known.success) throw new ProxyRefusal(405, "405: Discord's API knows no such method");
  const fullRoute: RouteLike = `/${route.slice(1)}`;
  return { method: known.data, fullRoute, query: whole.searchParams };
}

/**
 * Reads the body as bytes, so that it can be sent again after a rate limit, and an alert can be recognised by its
 * contents.
 */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Keep the connection open: the refusal is sent over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > longestBody) throw new ProxyRefusal(413, "413: Discord takes 25 MiB at most");
  }
  return Buffer.concat(chunks);
}

/**
 * Forwards requests to Discord with the two clients of one bot: one for answers to interactions, one for everything
 * else.
 */
function createForward(deps: { token: string; apiUrl: string; perSecond?: number; log: Log }) {
  const { log, ...discord } = deps;
  const shared = { ...discord, patience, invalidRequests: createInvalidRequestLimit({ log }) };
  const requests = createRest(shared);
  const answers = createRest({ ...shared, what: "answers" });

  return async (incoming: IncomingMessage, signal: AbortSignal) => {
    const { method, fullRoute, query } = parseRequest(incoming);
    const { "content-type": type, "x-audit-log-reason": reason, authorization } = incoming.headers;
    const isAnswer = answerRoute.test(fullRoute);
    const headers = {
      ...(type === undefined ? {} : { "Content-Type": type }),
      ...(reason === undefined ? {} : { "X-Audit-Log-Reason": String(reason) }),
      ...(isAnswer || authorization === undefined ? {} : { Authorization: authorization }),
    };
    const body = await readBody(incoming);
    return (isAnswer ? answers : requests).queueRequest({
      method,
      fullRoute,
      query,
      headers,
      auth: false,
      ...(body.length === 0 ? {} : { body }),
      passThroughBody: true,
      signal,
    });
  };
}

/**
 * Answers with a rate limit (429). Its scope is `shared`, so that the client does not count it as a refusal by Discord.
 * If Discord named no time, this answer has none either, and the client gives up.
 */
function sayLimit(response: ServerResponse, limit: RateLimitError): void {
  const seconds = waitOf(limit) / 1_000;
  response.writeHead(429, {
    "content-type": "application/json",
    "x-ratelimit-scope": "shared",
    ...(limit.retryAfter > 0 ? { "retry-after": String(seconds) } : {}),
  });
  response.end(JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: false }));
}

/** Answers with the status that tells the client process what the failure means. */
function sayFailure(response: ServerResponse, error: unknown): void {
  const json = { "content-type": "application/json" };
  if (error instanceof ProxyRefusal) {
    response.writeHead(error.status, { ...json, connection: "close" });
    response.end(JSON.stringify({ message: error.message, code: 0 }));
  } else if (error instanceof RateLimitError) sayLimit(response, error);
  else if (error instanceof DiscordAPIError) {
    response.writeHead(error.status, json).end(JSON.stringify(error.rawError));
  } else response.writeHead(error instanceof HTTPError ? error.status : 502).end();
}

/**
 * Logs once that Discord cannot be reached, and once that it answers again. The consequences are in the logs of the
 * client processes.
 */
function createReachLog(log: Log) {
  let isDown = false;
  return {
    answered() {
      if (isDown) log.info({}, "Discord can be reached again");
      isDown = false;
    },
    failed(error: unknown) {
      if (error instanceof ProxyRefusal || error instanceof RateLimitError || error instanceof HTTPError) return;
      if (error instanceof DiscordAPIError) return this.answered();
      const what = "Discord cannot be reached, or what answers in its place makes no sense: is DISCORD_API_URL right?";
      if (!isDown) log.warn({ err: error }, what);
      isDown = true;
    },
  };
}

/**
 * Serves Discord's API to the bot's other processes (`DISCORD_API_URL=http://host:port/api`), so that they share
 * Discord's limits: requests a second, alerts first, rate limits of each route, and the answers that Discord bans for.
 * It serves only requests with the bot's own token, and `GET /healthz` without a token.
 *
 * A waiting request is dropped when its connection ends. Nothing is repeated here: the client process repeats it.
 *
 * @param apiUrl Discord's own, without a version
 * @param perSecond Discord's global limit for this bot, in requests
 * @throws ListenError
 */
export async function startRestProxy(deps: {
  readonly token: string;
  readonly apiUrl: string;
  readonly perSecond?: number;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}): Promise<{
  /** Stops taking requests, and resolves when those under way are answered. */
  close(): Promise<void>;
}> {
  const { token, apiUrl, perSecond = usualPerSecond, log } = deps;
  const authorization = digest(`Bot ${token}`);
  const forward = createForward({ token, apiUrl, perSecond, log });
  const reach = createReachLog(log);
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
    reach.answered();
    // The body is complete already. If it were piped, an error of the answer would be thrown where no code can catch
    // it.
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
      reach.failed(error);
      if (response.headersSent) response.destroy();
      else sayFailure(response, error);
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
      // One failing request must not end the proxy.
      response.destroy();
      log.warn({ err: error }, "an answer failed in the proxy; the process that asked asks again");
    });
  });
  server.maxConnections = mostConnections;
  const letStay = endOldestBeyond(mostUnknown, server);
  server.setTimeout(longestSilenceMs);
  await listen(server, deps);
  // For example, the machine is out of file descriptors. The client process cannot connect, and tries again.
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
