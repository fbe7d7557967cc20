import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "../rules.ts";

/** A request to the pretend store. `status` is that of the answer, or 0 without an answer. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly authorization?: string;
  /** The API token in `authorization`. */
  readonly token?: string;
  /** The requested page; undefined if the request is not for a list. */
  readonly page?: number;
  status: number;
  /** True until the request is answered in full, given up or dropped. */
  isOpen: boolean;
}

/** A fault of the pretend store. With only `hold` or `delayMs`, the store answers as usual, but later. */
export interface FaultRule extends Limits<SeenRequest> {
  /** Waits for this promise first; for ever, if it never settles. */
  readonly hold?: Promise<unknown>;
  /** Then waits this long. */
  readonly delayMs?: number;
  /** Cuts the connection before or after the request was carried out. */
  readonly drop?: "before" | "after";
  /** Answers with this status, and does not carry out the request. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or a buffer as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Answers 302 to this address. */
  readonly redirectTo?: string;
  /** Answers 200 with JSON of this many bytes. */
  readonly hugeBytes?: number;
  /** Carries out the request and cuts the connection in the middle of the answer. */
  readonly truncate?: boolean;
  /** Carries out the request and spreads the answer's body over this time. */
  readonly slowBodyMs?: number;
}

/** A rule with the HTML page with which a firewall in front of a store refuses a request. */
export const firewallPage = {
  status: 403,
  headers: { "content-type": "text/html; charset=UTF-8", server: "cloudflare", "cf-ray": "9a1b2c3d4e5f6071-GRU" },
  body: "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1></body></html>",
} as const satisfies FaultRule;

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const SLOW_PIECES = 20;

/** Answers one request as the rule says. `carryOut` carries out the request and returns the answer. */
export async function respond(
  response: ServerResponse,
  seen: SeenRequest,
  rule: FaultRule | undefined,
  carryOut: () => Reply,
): Promise<void> {
  if (rule?.hold !== undefined) await rule.hold;
  if (rule?.delayMs !== undefined) await sleep(rule.delayMs);
  if (rule?.drop === "before") return void response.destroy();

  const reply = (rule === undefined ? undefined : replyOf(rule)) ?? carryOut();
  if (rule?.drop === "after") return void response.destroy();

  const text = bytesOf(reply.body);
  seen.status = reply.status;
  response.writeHead(reply.status, {
    "content-type": "application/json",
    "content-length": text.length,
    ...reply.headers,
  });
  if (rule?.truncate) {
    response.write(text.subarray(0, text.length / 2), () => response.destroy());
  } else if (rule?.slowBodyMs !== undefined) {
    const size = Math.ceil(text.length / SLOW_PIECES);
    for (let start = 0; start < text.length && !response.destroyed; start += size) {
      response.write(text.subarray(start, start + size));
      await sleep(rule.slowBodyMs / SLOW_PIECES);
    }
    response.end();
  } else {
    response.end(text);
  }
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function replyOf(rule: FaultRule): Reply | undefined {
  const headers = rule.headers ?? {};
  if (rule.redirectTo !== undefined) {
    return { status: rule.status ?? 302, body: "", headers: { location: rule.redirectTo, ...headers } };
  }
  if (rule.hugeBytes !== undefined) {
    return { status: 200, body: { success: true, data: { filler: "x".repeat(rule.hugeBytes) } }, headers };
  }
  if (rule.status === undefined && rule.body === undefined) return undefined;
  const status = rule.status ?? 200;
  return { status, body: rule.body ?? { success: false, message: `Pretended ${status}` }, headers };
}
