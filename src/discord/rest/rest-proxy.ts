import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { populateErrorResponse } from "@discordjs/proxy";
import { DiscordAPIError, HTTPError, RateLimitError, RequestMethod, type RouteLike } from "@discordjs/rest";
import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import { keepFew } from "../../operations/keep-few.ts";
import { listen } from "../../operations/listen.ts";
import { usualPerSecond } from "./fair-share.ts";
import { createInvalidAnswers } from "./invalid-answers.ts";
import { createRest, type Patience, waitOf } from "./rest.ts";

/**
 * A process that asks gives up after 15 s: what has waited here for 5 s for its turn, or would wait for 5 s
 * for a limit, is told so in time, and waits there. It also repeats what failed; done here as well, 4 attempts were 16.
 */
const patience: Patience = { turnMs: 5_000, limitMs: 5_000, retries: 0 };

/** Each request that is under way or waits has one: 10 processes with 40 a second each, for 10 s. */
const mostConnections = 4_096;
/** Who sends is near, or is nobody who should: 25 MiB in 5 s are 40 Mbit/s. */
const longestRequestMs = 5_000;
/** Waiting (10 s) and Discord's answer (15 s) are silence on a connection; after this it is a dead one. */
const longestSilenceMs = 60_000;
/** A process with work asks again within that; each new connection costs a handshake. */
const keptAliveMs = 30_000;
const longestHeaders = 8 * 1_024;
/** Discord's limit on a request with files (docs: Create Message). The bot's own messages have a few kB. */
const longestBody = 25 * 1_024 ** 2;
/** Of all bodies that are held at a time. */
const mostBytes = 256 * 1_024 ** 2;

/**
 * What clients read of an answer: how to parse it, and Discord's time, by which the doctor looks at the clock. Limits are
 * kept here; any other header speaks of a connection, or of who sits in between (`Trailer` may not even be repeated).
 */
const readByClients = ["content-type", "date"];

const methodSchema = z.enum(RequestMethod);
/** Version 10 is what the bot speaks. Nothing in it leads elsewhere: no other host, no empty part, nothing encoded but single characters. */
const apiPath = /^\/api\/v10((?:\/[\w%@.~:!$&'()*+,;=-]+)+)$/;
/** Answers to interactions, for which Discord wants no token and knows no global limit. */
const answerRoute = /^\/(?:interactions\/\d+\/[^/]+\/callback|webhooks\/\d+\/[^/]+(?:\/.*)?)$/;

/** Why a request is not passed on; `message` is for the operator, who reads it in a log of the bot. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** What may be passed on of a request. Throws a {@link Refusal}. */
function read({ method, url = "" }: IncomingMessage) {
  const whole = URL.parse(url, "http://proxy");
  const path = url.split("?")[0] ?? "";
  const route = apiPath.exec(path)?.[1];
  // A path with dots in it, however they are written, is another one once it is parsed.
  if (route === undefined || whole?.pathname !== path || whole.host !== "proxy") {
    // No 404: of a channel, that would say that it is gone.
    throw new Refusal(421, "421: this is a proxy of Discord's API: DISCORD_API_URL has to end in /api here");
  }
  const known = methodSchema.safeParse(method);
  if (!known.success) throw new Refusal(405, "405: Discord's API knows no such method");
  const fullRoute: RouteLike = `/${route.slice(1)}`;
  return { method: known.data, fullRoute, query: whole.searchParams };
}

/** Reads bodies, all of them together within {@link mostBytes}. */
function createBodies() {
  let held = 0;
  return {
    /** Calls `use` with the body, and forgets it afterwards. Throws a {@link Refusal}. */
    async with<T>(request: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
      const chunks: Buffer[] = [];
      let length = 0;
      try {
        // Torn down in the middle, the connection would take the refusal with it.
        for await (const chunk of request.iterator({ destroyOnReturn: false })) {
          if (!(chunk instanceof Buffer)) continue;
          chunks.push(chunk);
          length += chunk.length;
          held += chunk.length;
          if (length > longestBody) throw new Refusal(413, "413: Discord takes 25 MiB at most");
          if (held > mostBytes) throw new Refusal(503, "503: too many bytes wait in the proxy");
        }
        return await use(Buffer.concat(chunks));
      } finally {
        held -= length;
      }
    },
  };
}

function say(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ message, code: 0 }));
}

/**
 * A limit that is kept here. Scope `shared`: Discord did not refuse this process, which need not count it. Without a time,
 * as Discord said none, the client gives up.
 */
function sayLimit(response: ServerResponse, limit: RateLimitError): void {
  const seconds = waitOf(limit) / 1_000;
  const hasTime = limit.retryAfter > 0;
  response.writeHead(429, {
    "content-type": "application/json",
    "x-ratelimit-scope": "shared",
    ...(hasTime ? { "retry-after": String(seconds) } : {}),
  });
  response.end(JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: false }));
}

const isNonsense = (error: unknown) =>
  error instanceof SyntaxError || (error instanceof Error && error.name === "HTTPParserError");

/** Tells once why Discord does not answer, and once that it does again: the processes behind tell what it means. */
function createReach(log: Log) {
  let said: string | undefined;
  return {
    answered() {
      if (said !== undefined) log.info({}, "Discord can be reached again");
      said = undefined;
    },
    failed(error: unknown) {
      const why = isNonsense(error)
        ? "what answers in Discord's place makes no sense: is DISCORD_API_URL right, and what stands in between?"
        : "Discord cannot be reached; who asked is told, and asks again";
      if (said !== why) log.warn({ err: error }, why);
      said = why;
    },
  };
}

/** Passes requests on to Discord, as the two clients of one bot: one for answers to interactions, one for everything else. */
function createForward(deps: { token: string; apiUrl: string; perSecond?: number; log: Log }) {
  const { log, ...discord } = deps;
  const shared = { ...discord, patience, invalidAnswers: createInvalidAnswers({ log }) };
  const requests = createRest(shared);
  const answers = createRest({ ...shared, what: "answers" });
  const bodies = createBodies();

  return (incoming: IncomingMessage, signal: AbortSignal) => {
    const { method, fullRoute, query } = read(incoming);
    const { "content-type": type, "x-audit-log-reason": reason, authorization } = incoming.headers;
    const isAnswer = answerRoute.test(fullRoute);
    const headers = {
      ...(type === undefined ? {} : { "Content-Type": type }),
      ...(reason === undefined ? {} : { "X-Audit-Log-Reason": String(reason) }),
      ...(isAnswer || authorization === undefined ? {} : { Authorization: authorization }),
    };
    return bodies.with(incoming, (body) =>
      (isAnswer ? answers : requests).queueRequest({
        method,
        fullRoute,
        query,
        headers,
        auth: false,
        // As bytes, so that they can be sent again after a limit, and alerts are told by what they say.
        ...(body.length === 0 ? {} : { body }),
        passThroughBody: true,
        signal,
      }),
    );
  };
}

/** What a failure means to who asked. Nothing of a half-said answer stays, but that the connection ends, where the proxy does. */
function sayFailure(response: ServerResponse, error: unknown, reach: ReturnType<typeof createReach>): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) if (name !== "connection") response.removeHeader(name);
  if (error instanceof Refusal) say(response, error);
  else if (error instanceof RateLimitError) sayLimit(response, error);
  else {
    if (error instanceof DiscordAPIError) reach.answered();
    else if (!(error instanceof HTTPError)) reach.failed(error);
    if (!populateErrorResponse(response, error)) response.statusCode = 502;
    response.end();
  }
}

/**
 * Serves Discord's API to the bot's other processes (`DISCORD_API_URL=http://host:port/api`), so that its limits are kept
 * once for all of them: requests a second in fair shares, buckets, and answers that Discord bans for. It serves
 * only who sends the bot's own token, and `GET /healthz` to everybody. Who has not shown the token has one answer a
 * connection, and of too many connections goes first.
 *
 * What waits here is not sent any more once who asked has gone. Nothing is repeated here: who asked repeats it.
 *
 * @param apiUrl Discord's own, without a version
 * @param perSecond Discord's global limit for this bot, in requests
 * @param most connections at a time
 * @throws ListenError
 */
export async function startRestProxy(deps: {
  readonly token: string;
  readonly apiUrl: string;
  readonly perSecond?: number;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly most?: number;
}): Promise<{
  /** Takes no new requests, and resolves when those under way have their answers. */
  close(): Promise<void>;
}> {
  const { token, apiUrl, perSecond = usualPerSecond, log, most = mostConnections } = deps;
  const authorization = digest(`Bot ${token}`);
  const forward = createForward({ token, apiUrl, perSecond, log });
  const reach = createReach(log);
  const underWay = new Set<ServerResponse>();

  async function passOn(request: IncomingMessage, response: ServerResponse) {
    const gone = new AbortController();
    underWay.add(response);
    response.once("close", () => {
      underWay.delete(response);
      gone.abort();
    });
    const answer = await forward(request, gone.signal);
    reach.answered();
    // It is whole already. Piped, an error of the answer's would be thrown where nobody can catch it.
    const body = Buffer.from(await answer.arrayBuffer());
    response.statusCode = answer.status;
    for (const name of readByClients) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.end(body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const { method, url, headers, socket } = request;
    if (method === "GET" && url === "/healthz") {
      const type = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      response.writeHead(200, { ...type, connection: "close" }).end("ok\n");
      return;
    }
    try {
      if (!timingSafeEqual(digest(headers.authorization ?? ""), authorization)) {
        throw new Refusal(401, "401: this proxy serves the bot whose DISCORD_TOKEN it has, and this is another token");
      }
      connections.keep(socket);
      await passOn(request, response);
    } catch (error) {
      sayFailure(response, error, reach);
    }
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response).catch((error: unknown) => {
      // Whatever one request does, the others go on.
      response.destroy();
      log.warn({ err: error }, "an answer failed in the proxy; who asked asks again");
    });
  const server = createServer(
    {
      headersTimeout: longestRequestMs,
      requestTimeout: longestRequestMs,
      connectionsCheckingInterval: longestRequestMs,
      keepAliveTimeout: keptAliveMs,
      maxHeaderSize: longestHeaders,
    },
    onRequest,
  );
  // Node's own answer to an `Expect` that it does not know leaves the connection open.
  server.on("checkExpectation", onRequest);
  const told = "too many connections: the oldest that have not shown the token are ended; told once";
  const connections = keepFew(server, { most, tell: () => log.warn({ most }, told) });
  server.setTimeout(longestSilenceMs);
  await listen(server, deps);
  // Out of file descriptors, say: who asks finds nothing, and asks again.
  server.on("error", (error) => log.warn({ err: error }, "the proxy's server failed"));
  return {
    async close() {
      // A connection that stays open after its answer would hold up the end.
      for (const response of underWay) if (!response.headersSent) response.setHeader("connection", "close");
      server.close();
      // One on which nobody has asked yet would, too.
      connections.endOthers();
      await once(server, "close");
    },
  };
}
