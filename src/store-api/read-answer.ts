import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import type { Mutex } from "../basics/limits/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import { type Refusal, readRefusal } from "./refusal.ts";

/** The content of a successful answer. */
export type AnswerContent<Data> =
  | { readonly kind: "data"; readonly data: Data }
  /** The API answered with `success: false`. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** `malformed`: not JSON, or not the documented form. `too_large`: parsing it would block the event loop. */
  | { readonly kind: "malformed" | "too_large" };

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
 * Reads the body of a successful answer. It never blocks the event loop for more than about 50 ms.
 *
 * @param largeAnswers lets one large answer be parsed at a time
 * @param secret is removed from the API's own words, in case it repeats the secret
 * @throws the reason of `signal`, if the call ended while a large answer waited
 */
export async function readAnswer<Data>(
  body: Buffer,
  endpoint: Endpoint<Data>,
  secret: string,
  largeAnswers: Pick<Mutex, "run">,
  signal: AbortSignal | undefined,
): Promise<AnswerContent<Data>> {
  if (body.length <= largestAtOnce) return read(body, endpoint, secret);
  return largeAnswers.run(async () => {
    await othersTurn();
    signal?.throwIfAborted();
    if (hasTooManyMarks(body)) return { kind: "too_large" };
    await othersTurn();
    return read(body, endpoint, secret);
  });
}

async function read<Data>(body: Buffer, endpoint: Endpoint<Data>, secret: string): Promise<AnswerContent<Data>> {
  const answer = jsonIn(body);
  const parsed = envelope.safeParse(answer).data;
  if (parsed?.success === false) return { kind: "refused", refusal: readRefusal(answer, secret) };
  const data = parsed === undefined ? undefined : await endpoint.read(parsed.data);
  return data === undefined ? { kind: "malformed" } : { kind: "data", data };
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
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
