import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Mutex } from "../basics/limits/mutex.ts";
import { type Answered, dateOf, jsonIn } from "./answered.ts";
import type { Endpoint } from "./endpoints.ts";
import { errorOfRefusal, errorOfStatus } from "./error-of-status.ts";
import { readRefusal } from "./read-refusal.ts";
import { StoreError } from "./store-error.ts";

export interface Answer<Data> {
  readonly data: Data;
  /** When the server answered, by its `Date` header; epoch ms. */
  readonly servedAt?: number | undefined;
  readonly fingerprint?: string | undefined;
}

/** In bytes: three ordinary pages. They take 1 ms to parse, and the worst JSON of this size takes 10 ms. */
const largestAtOnce = 128 * 1024;
/**
 * Limit of commas, colons and opening brackets outside of texts, because they make JSON slow to parse. 250,000 of them take up
 * to 50 ms (in an object with very many keys). 5,000 orders with one item each have up to 245,000.
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
