import { Agent, type Dispatcher } from "undici";
import { type Body, largestBody } from "./body.ts";
import type { Ending } from "./ending.ts";
import type { Endpoint } from "./endpoints.ts";
import { type Exchange, exchange } from "./exchange.ts";

/** What fills in an {@link Endpoint}. A query value that is `undefined` is not sent. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** How long parts of an exchange may take, in milliseconds. */
export interface PhaseTimeouts {
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyMs: number;
}

/** The connections to one base URL. */
export interface Connections {
  /** Sends one request, and collects what comes back in `answer`; never throws. */
  send(request: Endpoint<unknown> & Call & { readonly token: string }, ending: Ending, answer: Body): Promise<Exchange>;
  /** Cuts them all. */
  close(): Promise<void>;
}

/**
 * All stores share these: 128 stores whose API hangs, with as many requests as the gate of each lets through, and the
 * others still do not wait behind them. They are opened only when needed.
 */
const mostConnections = 512;

export function createConnections(baseUrl: string, timeouts: PhaseTimeouts, dispatcher?: Dispatcher): Connections {
  const options: Agent.Options = {
    allowH2: false,
    connections: mostConnections,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize: largestBody,
  };
  const reads = dispatcher ?? new Agent(options);
  // A kept-alive connection may be closed by the server just as a creation is written to it, and nobody could tell
  // whether it arrived: a creation gets a connection of its own.
  const creations = dispatcher ?? new Agent({ ...options, pipelining: 0 });
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");

  return {
    send({ method, path, token, params, query, body }, ending, answer) {
      const headers = ["accept", "application/json", "authorization", `Bearer ${token}`];
      if (body !== undefined) headers.push("content-type", "application/json");
      const target = `${prefix}${filledIn(path, params)}${queryOf(query)}`;
      const sent = body === undefined ? null : JSON.stringify(body);
      const dispatcher = method === "POST" ? creations : reads;
      return exchange(dispatcher, { origin, path: target, method, headers, body: sent }, ending, answer);
    },
    async close() {
      await Promise.all([reads.destroy(), creations.destroy()]);
    },
  };
}

// Half of a character that takes two places cannot be written into an address.
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
