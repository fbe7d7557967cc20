import { hash } from "node:crypto";
import { Agent, type Dispatcher } from "undici";
import type { Endpoint } from "./endpoints.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/**
 * The largest accepted body, in bytes: 100 times an ordinary page of orders, twice 5,000 orders of one line. Texts of
 * so many bytes take 40 ms to parse (measured with the worst case, emoji).
 */
export const largestBody = 4 * 1024 * 1024;
/** Memory for all bodies that are read or parsed at a time: 64 of the largest, from any stores. */
const defaultRoomBytes = 256 * 1024 * 1024;
/**
 * Bytes of each body, three ordinary pages, that do not count towards {@link defaultRoomBytes}. So if large answers of
 * some stores use up that memory, ordinary answers of other stores are still read.
 */
const freeBytes = 128 * 1024;
/**
 * A piece (network read) of a body counts as at least this many bytes, because it costs as much time and memory. An
 * ordinary page (40 kB) in pieces of one byte is still read.
 */
const leastPieceBytes = 64;
/** Number of bytes that are read of a refusal. A longer one is an error page. */
const largestRefusal = 64 * 1024;
/**
 * Maximum number of connections, for all stores together. If the API of 128 stores hangs, each of them can use the four
 * requests of its queue, and other stores still do not wait. Connections are opened only when needed.
 */
const mostConnections = 512;
/** A slow store has two attempts to connect within the time of a person's call. */
const connectMs = 5_000;

const tooLarge: TransportFault = { code: "too_large", name: "the answer is too large", neverSent: false };
/**
 * The fault if there is no memory for the body. Its code is `unavailable`, because another attempt succeeds as soon as
 * one of the other bodies was read.
 */
const noRoom: TransportFault = { code: "unavailable", name: "no room for the answer", neverSent: false };

/** The values for an {@link Endpoint}. A query value that is `undefined` is not sent. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** An answer of the server. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /**
   * A digest of a successful body, by which the same body is recognised; 25 µs for 40 kB. If a store makes two bodies
   * with the same digest on purpose, it hides only its own orders.
   */
  readonly fingerprint: string | undefined;
}

export type Exchange = { readonly answered: Answered } | { readonly fault: TransportFault };

export type HttpClient = ReturnType<typeof createHttpClient>;

/**
 * Makes the client of one base URL.
 *
 * @param dispatcher carries the requests; by default connections of its own
 * @param roomBytes memory for all bodies together, without the first 128 KiB of each
 */
export function createHttpClient(baseUrl: string, dispatcher?: Dispatcher, roomBytes: number = defaultRoomBytes) {
  // `signal` limits the time of a request, so undici's timers for headers and body are off.
  const options: Agent.Options = {
    allowH2: false,
    connections: mostConnections,
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const reads = dispatcher ?? new Agent(options);
  // The server may close a kept-alive connection just when a creation is written to it. Then it is unknown whether the
  // creation arrived. So each creation has a connection of its own.
  const creations = dispatcher ?? new Agent({ ...options, pipelining: 0 });
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  let room = roomBytes;

  return {
    /**
     * Sends one request and reads the answer (at most 64 KiB of a refusal). Never rejects: if `signal` ends the request,
     * the fault tells whether the request may have been sent.
     *
     * @param used receives the answer; the body counts as memory in use until its promise settles
     */
    async send<T>(
      { method, path, token, params, query, body }: Endpoint<unknown> & Call & { readonly token: string },
      signal: AbortSignal,
      used: (result: Exchange) => Promise<T>,
    ): Promise<T> {
      const headers = ["accept", "application/json", "authorization", `Bearer ${token}`];
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
    /** Closes all connections at once. */
    async close(): Promise<void> {
      await Promise.all([reads.destroy(), creations.destroy()]);
    },
  };
}

/**
 * Sends a request with undici's `dispatch`, the layer below `request`. The streams, promises and timers of `request`
 * would cost as much as the rest of a poll without news.
 *
 * @param take counts a piece of the body; returns a fault if the piece is too much
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
      settle({
        answered: { status, headers, body, fingerprint: isSuccess() ? hash("sha1", body, "base64") : undefined },
      });
    }

    signal.addEventListener("abort", giveUp);
    dispatcher.dispatch(request, {
      // undici calls this just before it writes the first byte. A request that failed earlier was never sent.
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
        pieces.push(piece);
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

// Half of a surrogate pair cannot be encoded in a URL.
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
