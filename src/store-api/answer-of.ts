import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Mutex } from "../basics/limits/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Answered } from "./http-client.ts";
import { parseTime } from "./parse-time.ts";
import { type Refusal, readRefusal } from "./read-refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StoreError } from "./store-error.ts";

export interface Answer<Data> {
  readonly data: Data;
  /** When the store answered, by its `Date` header; epoch ms. */
  readonly servedAt?: number | undefined;
  readonly fingerprint?: string | undefined;
}

/** In bytes: three ordinary pages. They take 1 ms to parse, and the worst JSON of this size takes 10 ms. */
const largestAtOnce = 128 * 1024;
/**
 * An answer may have at most this many commas, colons and opening brackets outside of texts: they make JSON slow to parse.
 * 250,000 of them take up to 50 ms (in an object with very many keys). 5,000 orders with one item each have up to 245,000.
 */
const mostMarks = 250_000;
const [quote, backslash, comma, colon, openList, openObject] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });

/**
 * May block the event loop for about 50 ms at a time.
 *
 * @param token is removed from the API's message, because the API may repeat the token
 * @param largeAnswers runs the parsing of large answers, one at a time
 * @throws {StoreError}, or the reason of `signal` if it aborts before a large answer to a GET is parsed
 */
export async function answerOf<Data>(
  answered: Answered,
  endpoint: Endpoint<Data>,
  token: string,
  largeAnswers: Pick<Mutex, "run">,
  signal: AbortSignal,
): Promise<Answer<Data>> {
  const { status, body, fingerprint } = answered;
  const creating = endpoint.method === "POST";
  const what = `${endpoint.method} ${endpoint.path} (${status})`;
  if (status < 200 || status >= 300) throw errorOfStatus(answered, what, token, creating);

  async function read(): Promise<Answer<Data>> {
    const json = jsonIn(body);
    const parsed = envelope.safeParse(json).data;
    if (parsed?.success === false) throw errorOfRefusal(readRefusal(json, token), what, status, creating);
    const data = parsed === undefined ? undefined : await endpoint.read(parsed.data);
    if (data === undefined) throw new StoreError(creating ? "ambiguous" : "malformed", what);
    return { data, servedAt: dateOf(answered), fingerprint };
  }
  if (body.length <= largestAtOnce) return read();
  return largeAnswers.run(async () => {
    await setImmediate();
    // The answer to a creation is parsed even after the call's time is over, because the product may exist.
    if (!creating) signal.throwIfAborted();
    if (hasTooManyMarks(body)) throw new StoreError(creating ? "ambiguous" : "too_large", what);
    await setImmediate();
    return read();
  });
}

/** Takes 6 ms for 4 MiB. */
function hasTooManyMarks(body: Buffer): boolean {
  let count = 0;
  let isText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) isText = !isText;
    else if (isText && byte === backslash) at += 1;
    else if (!isText && (byte === comma || byte === colon || byte === openList || byte === openObject)) count += 1;
  }
  return count > mostMarks;
}

function dateOf({ headers }: Answered): number | undefined {
  const { date } = headers;
  return typeof date === "string" ? parseTime(date) : undefined;
}

/** Some servers write a byte order mark before the JSON (RFC 8259, 8.1). */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/**
 * Makes the error for a status other than 2xx. store-error.ts explains the codes.
 *
 * @param what names the request in the log
 * @param token is removed from the API's message
 * @param creating whether the request was a creation. Most 4xx mean that nothing was created; after any other status, the
 * product may exist
 */
function errorOfStatus(answered: Answered, what: string, token: string, creating: boolean): StoreError {
  const { status, headers } = answered;
  // 408 and 425 say that the server was not ready, so the request may be right.
  const isOfServer = status >= 500 || status === 408 || status === 425;
  const isAboutInput = status >= 400 && !isOfServer && ![401, 403, 404, 429].includes(status);
  // A 404 to a creation may be about its category.
  if (isAboutInput || (status === 404 && creating)) {
    return errorOfRefusal(readRefusal(jsonIn(answered.body), token), what, status, creating);
  }
  const repeatable = { canRepeat: true, retryAfterMs: retryAfterMs(headers["retry-after"], dateOf(answered)) };
  if (status === 401) return new StoreError("unauthorized", what);
  if (status === 403) return new StoreError(isPage(answered.body) ? "unavailable" : "unauthorized", what);
  if (status === 404) return new StoreError("not_found", what);
  if (status === 429) return new StoreError("rate_limited", what, repeatable);
  if (creating) return new StoreError("ambiguous", what);
  return isOfServer ? new StoreError("unavailable", what, repeatable) : new StoreError("malformed", what);
}

/** Whether a server in between, such as a firewall, has answered in place of the API. */
const isPage = (body: Buffer) => body.toString("utf8").trim() !== "" && jsonIn(body) === undefined;

/** For an answer whose body says that the API refused the request. The status may be 2xx. */
function errorOfRefusal({ code: said, detail }: Refusal, what: string, status: number, creating: boolean): StoreError {
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  return isAboutInput ? new StoreError("invalid", what, { detail }) : new StoreError(code, what);
}
