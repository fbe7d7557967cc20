import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "../rules.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Epoch ms. */
  readonly at: number;
  readonly authorization?: string;
  readonly token?: string;
  /** Undefined if the request is not for a list. */
  readonly page?: number;
  status: number;
  /** True until the request is answered in full, given up or dropped. */
  isOpen: boolean;
}

/** With only `hold` or `delayMs`, the store answers as usual, but later. */
export interface FaultRule extends Limits<SeenRequest> {
  /** Waits for this promise first; for ever, if it never settles. */
  readonly hold?: Promise<unknown>;
  /** Then waits this long. */
  readonly delayMs?: number;
  /** Cuts the connection before or after the request takes effect. */
  readonly drop?: "before" | "after";
  /** Answers with this status. The request does not take effect. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or a buffer is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Answers 200 with JSON of this size. */
  readonly hugeBytes?: number;
  /** The request takes effect, and the connection is cut in the middle of the answer. */
  readonly truncate?: boolean;
  /** The request takes effect, and the answer's body is spread over this time. */
  readonly slowBodyMs?: number;
}

/** The HTML page with which a firewall in front of a store refuses a request. */
export const firewallPage = {
  status: 403,
  headers: { "content-type": "text/html; charset=UTF-8", server: "cloudflare", "cf-ray": "9a1b2c3d4e5f6071-GRU" },
  body: "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1></body></html>",
} as const satisfies FaultRule;

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const SLOW_PIECES = 20;

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
  if (rule.hugeBytes !== undefined) {
    return { status: 200, body: { success: true, data: { filler: "x".repeat(rule.hugeBytes) } }, headers };
  }
  if (rule.status === undefined && rule.body === undefined) return undefined;
  const status = rule.status ?? 200;
  return { status, body: rule.body ?? { success: false, message: `Pretended ${status}` }, headers };
}
