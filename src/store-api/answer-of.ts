import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Mutex } from "../basics/limits/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Answered } from "./http-client.ts";
import { parseTime } from "./parse-time.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StoreError } from "./store-error.ts";

export interface Answer<Data> {
  /** The `data` of the envelope. */
  readonly data: Data;
  /** When the server answered, by its `Date` header; epoch ms. */
  readonly servedAt?: number | undefined;
  readonly fingerprint?: string | undefined;
}

/**
 * Maximum bytes of a body that is parsed on arrival: three ordinary pages. Orders of this size take 1 ms, and the worst JSON
 * takes 10 ms. Larger bodies are parsed one at a time, each in its own turn of the event loop.
 */
const largestAtOnce = 128 * 1024;
/**
 * Maximum number of commas, colons and opening brackets outside of texts in a body. The time to parse JSON depends on them more
 * than on the bytes. This many take 50 ms in the worst case, which is an object with very many keys. 5,000 orders with one item
 * each have up to 245,000, and take 8 ms (measured).
 */
const mostMarks = 250_000;
const [quote, backslash, comma, colon, openList, openObject] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });

/**
 * Parses an answer of the store. It never blocks the event loop for more than about 50 ms.
 *
 * @param token is removed from the API's own words, because the API may repeat it
 * @param largeAnswers lets one large answer be parsed at a time
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
    await setImmediate();
    // The answer to a creation is parsed even after the call's time is over, because the product may exist.
    if (!creating) signal.throwIfAborted();
    if (hasTooManyMarks(body)) throw new StoreError(creating ? "ambiguous" : "too_large", what);
    await setImmediate();
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
  const repeatable = { canRepeat: true, retryAfterMs: retryAfterMs(headers["retry-after"], dateOf(answered)) };
  if (status === 401) return new StoreError("unauthorized", what);
  if (status === 403) return new StoreError(isPage(answered.body) ? "unavailable" : "unauthorized", what);
  if (status === 404) return new StoreError("not_found", what);
  if (status === 429) return new StoreError("rate_limited", what, repeatable);
  if (creating) return new StoreError("ambiguous", what);
  return status >= 500 ? new StoreError("unavailable", what, repeatable) : new StoreError("malformed", what);
}

/** Whether the body is neither JSON nor empty. Then it does not come from the API, but for example from a firewall. */
const isPage = (body: Buffer) => body.toString("utf8").trim() !== "" && jsonIn(body) === undefined;

function refusedWith({ code: said, detail }: Refusal, what: string, status: number, creating: boolean): StoreError {
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  return isAboutInput ? new StoreError("invalid", what, { detail }) : new StoreError(code, what);
}

function dateOf({ headers }: Answered): number | undefined {
  const { date } = headers;
  return typeof date === "string" ? parseTime(date) : undefined;
}

/** Whether there are more than {@link mostMarks}. Takes 6 ms for 4 MiB. */
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

/** Returns the JSON value of a body, or undefined. Some servers write a byte order mark before the JSON (RFC 8259, 8.1). */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
