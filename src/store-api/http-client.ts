import { hash } from "node:crypto";
import { Agent, type Dispatcher } from "undici";
import type { Endpoint } from "./endpoints.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/**
 * The largest accepted body, in bytes: 100 times an ordinary page of orders, twice 5,000 orders of one line. Texts of so many
 * bytes take 40 ms to parse (measured with the worst case, emoji).
 */
export const largestBody = 4 * 1024 * 1024;
/** Memory for all bodies that are being read: 64 of the largest, from any stores. */
const defaultRoomBytes = 256 * 1024 * 1024;
/**
 * Bodies up to this size, three ordinary pages, do not count towards {@link defaultRoomBytes}. So if large answers of
 * some stores use up that memory, ordinary answers are still read.
 */
const smallBody = 128 * 1024;
/** Number of bytes that are read of a refusal. A longer one is an error page. */
const largestRefusal = 64 * 1024;
/**
 * Maximum number of pieces (network reads) of one body. Each piece costs as much time as hundreds of bytes: 4 MiB in
 * pieces of one byte take half a second. An ordinary page (40 kB) stays below this limit even then.
 */
const mostPieces = 100_000;
const tooManyPieces: TransportFault = { code: "too_large", name: "too many pieces", neverSent: false };
/**
 * The fault if there is no memory for the body. Its code is `unavailable`, not `too_large`, because nothing is wrong
 * with this store or its answer: another attempt succeeds as soon as one of the other bodies was read.
 */
const noRoom: TransportFault = { code: "unavailable", name: "no room for the answer", neverSent: false };
/**
 * Maximum number of connections, for all stores together. If the API of 128 stores hangs, each of them can use the four
 * requests of its queue, and other stores still do not wait. Connections are opened only when needed.
 */
const mostConnections = 512;

/** The values for an {@link Endpoint}. A query value that is `undefined` is not sent. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** The longest duration of each part of an exchange, in milliseconds. */
export interface PhaseTimeouts {
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyMs: number;
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

/** The result of one request. */
export type Exchange = { readonly answered: Answered } | { readonly fault: TransportFault };

/** The connections to one base URL. */
export interface HttpClient {
  /**
   * Sends one request and reads the answer; of a refusal at most 64 KiB. Never rejects: if `signal` ends the request,
   * the fault tells whether the request may have been sent.
   *
   * @param used receives the answer, and may use the body until its promise settles
   */
  send<T>(
    request: Endpoint<unknown> & Call & { readonly token: string },
    signal: AbortSignal,
    used: (result: Exchange) => Promise<T>,
  ): Promise<T>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * @param roomBytes memory for all bodies of more than 128 KiB together
 * @param dispatcher carries the requests; by default connections of its own
 */
export function createHttpClient(
  baseUrl: string,
  timeouts: PhaseTimeouts,
  roomBytes: number = defaultRoomBytes,
  dispatcher?: Dispatcher,
): HttpClient {
  const options: Agent.Options = {
    allowH2: false,
    connections: mostConnections,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize: largestBody,
  };
  const reads = dispatcher ?? new Agent(options);
  // The server may close a kept-alive connection just when a creation is written to it. Then it is unknown whether the
  // creation arrived. So each creation has a connection of its own.
  const creations = dispatcher ?? new Agent({ ...options, pipelining: 0 });
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  let room = roomBytes;

  /** Reserves memory for a body that has grown to `bytes`. Returns false if no memory is left. */
  function takeRoom(taken: number, bytes: number): boolean {
    const more = (bytes > smallBody ? bytes : 0) - taken;
    if (more > room) return false;
    room -= more;
    return true;
  }

  return {
    async send({ method, path, token, params, query, body }, signal, used) {
      const headers = ["accept", "application/json", "authorization", `Bearer ${token}`];
      if (body !== undefined) headers.push("content-type", "application/json");
      const target = `${prefix}${filledIn(path, params)}${queryOf(query)}`;
      const sent = body === undefined ? null : JSON.stringify(body);
      let taken = 0;
      const mayTake = (bytes: number) => {
        if (!takeRoom(taken, bytes)) return false;
        taken = bytes > smallBody ? bytes : 0;
        return true;
      };
      const chosen = method === "POST" ? creations : reads;
      try {
        return await used(
          await exchange(chosen, { origin, path: target, method, headers, body: sent }, signal, mayTake),
        );
      } finally {
        room += taken;
      }
    },
    async close() {
      await Promise.all([reads.destroy(), creations.destroy()]);
    },
  };
}

/**
 * Sends a request with undici's `dispatch`, the layer below `request`. The streams, promises and timers of `request`
 * would cost as much as the rest of a poll without news.
 */
function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  mayTake: (bytes: number) => boolean,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Answered["headers"] = {};
    let bytes = 0;
    const pieces: Buffer[] = [];
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
    dispatcher.dispatch(options, {
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
        bytes += piece.length;
        pieces.push(piece);
        if (pieces.length > mostPieces) return stop(tooManyPieces);
        if (!mayTake(bytes)) return stop(noRoom);
        if (bytes <= largestRefusal || isSuccess()) return;
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
