import { hash } from "node:crypto";
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import type { Endpoint } from "./endpoints.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/** In bytes: 100 ordinary pages of orders. Parsing this much takes at most 40 ms (measured with emoji, the slowest). */
export const largestBody = 4 * 1024 * 1024;
/** All bodies that are being read or parsed have at most this many bytes in total: 64 of the largest bodies. */
const defaultRoomBytes = 256 * 1024 * 1024;
/**
 * The first 128 KiB of each body (three ordinary pages) do not count towards {@link defaultRoomBytes}. So ordinary answers fit
 * even while large answers use up the limit.
 */
const freeBytes = 128 * 1024;
/** A body arrives in pieces. A smaller piece counts as this many bytes, because each piece costs time and memory. */
const leastPieceBytes = 64;
/** Some firewalls refuse requests without this header, and each request should have it (RFC 9110, 10.1.5). */
export const userAgent = `Shopbell/${shopbellVersion}`;
/** A longer refusal (a status other than 2xx) is a web page for people, not JSON. */
const largestRefusal = 64 * 1024;
/**
 * At most this many connections to stores are open for reads, and as many for creations. A store has at most four requests
 * under way, so 127 silent stores leave connections for others.
 */
const mostConnections = 512;
/** The longest time to connect. A person's call ends after 12 s, so it has time for two attempts. */
const connectMs = 5_000;

const tooLarge: TransportFault = { code: "too_large", name: "the answer is too large", neverSent: false };
/** Another attempt can succeed as soon as other bodies are parsed. */
const noRoom: TransportFault = { code: "unavailable", name: "no room for the answer", neverSent: false };

/** Undefined values of the query are not sent. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Hash of the body if the status is 2xx. */
  readonly fingerprint: string | undefined;
}

export type Exchange = { readonly answered: Answered } | { readonly fault: TransportFault };

export type HttpClient = ReturnType<typeof createHttpClient>;

/**
 * @param dispatcher sends the requests. By default, the client makes its own connections
 * @param roomBytes maximum bytes of all bodies together, without the first 128 KiB of each
 */
export function createHttpClient(baseUrl: string, dispatcher?: Dispatcher, roomBytes: number = defaultRoomBytes) {
  // undici's timers for answers are off, because each request has a signal that limits its time.
  const options: Agent.Options = {
    allowH2: false,
    connections: mostConnections,
    connect: { timeout: connectMs, lookup: createHostLookUp() },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const reads = dispatcher ?? new Agent(options);
  // Each request that creates something has a new connection. The store may close a kept-alive connection while such a request
  // is being written. Then the bot would not know whether the request arrived.
  const creations = dispatcher ?? new Agent({ ...options, pipelining: 0 });
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  let room = roomBytes;

  return {
    /**
     * @param used receives the answer, or a fault, for example if `signal` aborts. The body counts towards `roomBytes` until
     * the promise of `used` settles
     */
    async send<T>(
      { method, path, token, params, query, body }: Endpoint<unknown> & Call & { readonly token: string },
      signal: AbortSignal,
      used: (result: Exchange) => Promise<T>,
    ): Promise<T> {
      // Without `accept-encoding`, a server may compress its answer as it likes (RFC 9110, 12.5.3).
      const headers = ["accept", "application/json", "accept-encoding", "identity", "user-agent", userAgent];
      headers.push("authorization", `Bearer ${token}`);
      if (body !== undefined) headers.push("content-type", "application/json");
      const request = {
        origin,
        path: `${prefix}${filledIn(path, params)}${queryOf(query)}`,
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      };
      let bytes = 0;
      let taken = 0;
      function take(piece: Buffer): TransportFault | undefined {
        bytes += Math.max(piece.length, leastPieceBytes);
        if (bytes > largestBody) return tooLarge;
        const more = Math.max(bytes - freeBytes, 0) - taken;
        if (more > room) return noRoom;
        taken += more;
        room -= more;
        return undefined;
      }
      try {
        return await used(await exchange(method === "POST" ? creations : reads, request, signal, take));
      } finally {
        room += taken;
      }
    },
    async close(): Promise<void> {
      await Promise.all([reads.destroy(), creations.destroy()]);
    },
  };
}

/**
 * Used instead of undici's `request`. The streams, promises and timers of `request` would take as much time as all other work
 * of a poll that finds nothing new.
 */
function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  take: (piece: Buffer) => TransportFault | undefined,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Answered["headers"] = {};
    const pieces: Buffer[] = [];
    let refusalBytes = 0;
    const isSuccess = () => status >= 200 && status < 300;

    function settle(result: Exchange): void {
      isOver = true;
      signal.removeEventListener("abort", giveUp);
      resolve(result);
    }
    function stop(fault: TransportFault): void {
      settle({ fault });
      controller?.abort(new Error("the answer is not wanted any more"));
    }
    const giveUp = () => stop({ code: "timeout", name: "the call ended", neverSent: controller === undefined });
    function answer(): void {
      if (isOver) return;
      const body = Buffer.concat(pieces);
      const fingerprint = isSuccess() ? hash("sha1", body, "base64") : undefined;
      settle({ answered: { status, headers, body, fingerprint } });
    }

    signal.addEventListener("abort", giveUp);
    dispatcher.dispatch(request, {
      // Called before the first byte is written. A request that failed earlier was never sent.
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(new Error("the call ended"));
      },
      onResponseStart(_, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(_, piece) {
        if (isOver) return;
        const fault = take(piece);
        if (fault !== undefined) return stop(fault);
        // The piece is copied, because it is a part of a network read, and would keep the whole read in memory.
        pieces.push(Buffer.from(piece));
        if (isSuccess()) return;
        refusalBytes += piece.length;
        if (refusalBytes <= largestRefusal) return;
        answer();
        controller?.abort(new Error("the rest of a refusal is not wanted"));
      },
      onResponseEnd: answer,
      onResponseError(_, error) {
        if (isOver) return;
        const fault = transportFault(error);
        settle({ fault: controller === undefined ? { ...fault, neverSent: true } : fault });
      },
    });
  });
}

// `encodeURIComponent` throws for a lone surrogate.
const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

const filledIn = (template: string, params: Call["params"] = {}) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(params[name] ?? ""));

function queryOf(query: Call["query"] = {}): string {
  let text = "";
  for (const name in query) {
    const value = query[name];
    if (value !== undefined) text += `${text === "" ? "?" : "&"}${encoded(name)}=${encoded(String(value))}`;
  }
  return text;
}

/**
 * Looks up one host. Connections that wait for its address share one look-up. Node runs only two look-ups at a time, and cannot
 * cancel them. So several look-ups that wait for a silent name server would delay the look-up of Discord's host by seconds.
 */
function createHostLookUp(): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] = [];
  return (host, options, callback) => {
    waiting.push(callback);
    if (waiting.length > 1) return;
    lookup(host, options, (error, address, family) => {
      const all = waiting;
      waiting = [];
      for (const found of all) found(error, address, family);
    });
  };
}
