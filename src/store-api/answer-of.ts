import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import type { Mutex } from "../basics/limits/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Answered } from "./http-client.ts";
import { parseTime } from "./parse-time.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StoreError } from "./store-error.ts";

/** The `data` of the envelope. */
export interface Answer<Data> {
  readonly data: Data;
  /** When the server answered, by its `Date` header; epoch milliseconds. */
  readonly servedAt?: number | undefined;
  readonly fingerprint?: string | undefined;
}

/**
 * Bodies up to this size, three ordinary pages, are parsed on arrival: 10 ms for the worst JSON, 1 ms for orders. Larger
 * bodies are parsed one at a time, each in its own turn of the event loop.
 */
const largestAtOnce = 128 * 1024;
/**
 * Maximum number of JSON marks (commas, colons and opening brackets outside of texts) in a body. They count the values,
 * on which the time to parse JSON depends more than on the bytes. This many take 50 ms if all are keys, the worst case.
 * 5,000 orders of one line have 175,000 to 245,000 and take 8 ms (measured).
 */
const mostMarks = 250_000;
const [quote, backslash, comma, colon, openList, openObject] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });

/**
 * Reads an answer of the store. It never blocks the event loop for more than about 50 ms.
 *
 * @param token is removed from the API's own words, in case it repeats the token
 * @param largeAnswers lets one large answer be parsed at a time
 * @throws {StoreError}; the reason of `signal`, if the call ended while a large answer to a read waited
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
  if (status < 200 || status >= 300) throw refused(answered, what, token, creating);

  async function read(): Promise<Answer<Data>> {
    const json = jsonIn(body);
    const parsed = envelope.safeParse(json).data;
    if (parsed?.success === false) throw refusedWith(readRefusal(json, token), what, status, creating);
    const data = parsed === undefined ? undefined : await endpoint.read(parsed.data);
    if (data === undefined) throw new StoreError(creating ? "ambiguous" : "malformed", what);
    return { data, servedAt: dateOf(answered), fingerprint };
  }
  if (body.length <= largestAtOnce) return read();
  return largeAnswers.run(async () => {
    await othersTurn();
    // The answer to a creation is read even after the call's time is over, because the product exists.
    if (!creating) signal.throwIfAborted();
    if (hasTooManyMarks(body)) throw new StoreError(creating ? "ambiguous" : "too_large", what);
    await othersTurn();
    return read();
  });
}

function refused(answered: Answered, what: string, token: string, creating: boolean): StoreError {
  const { status, headers } = answered;
  const isAboutInput = status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status);
  // A 404 to a creation may be about its category, so the API's own words are read.
  if (isAboutInput || (status === 404 && creating)) {
    return refusedWith(readRefusal(jsonIn(answered.body), token), what, status, creating);
  }
  const wait = retryAfterMs(headers["retry-after"], dateOf(answered));
  const repeatable = { canRepeat: true, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  if (status === 401) return new StoreError("unauthorized", what);
  if (status === 403) return new StoreError(isPage(answered.body) ? "unavailable" : "unauthorized", what);
  if (status === 404) return new StoreError("not_found", what);
  if (status === 429) return new StoreError("rate_limited", what, repeatable);
  if (creating) return new StoreError("ambiguous", what);
  return status >= 500 ? new StoreError("unavailable", what, repeatable) : new StoreError("malformed", what);
}

/** Whether the body is a page of a firewall or of maintenance. The API itself answers with JSON, or with nothing. */
const isPage = (body: Buffer) => body.toString("utf8").trim() !== "" && jsonIn(body) === undefined;

function refusedWith({ code: said, detail }: Refusal, what: string, status: number, creating: boolean): StoreError {
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  return isAboutInput
    ? new StoreError("invalid", what, detail === undefined ? {} : { detail })
    : new StoreError(code, what);
}

function dateOf({ headers }: Answered): number | undefined {
  const { date } = headers;
  return typeof date === "string" ? parseTime(date) : undefined;
}

/** Counts marks up to the limit. Takes 6 ms for 4 MiB. */
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

/** The JSON value of a body; undefined if it is not JSON. Some servers write a byte order mark before it (RFC 8259, 8.1). */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
