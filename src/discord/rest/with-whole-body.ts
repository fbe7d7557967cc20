import { z } from "zod";
import { readBytes } from "../../basics/read-bytes.ts";
import type { Send } from "./invalid-request-limit.ts";

/**
 * 8 MiB. Discord's largest answer is a page of 100 messages. A message has up to 4,000 characters of text, 6,000 of embeds, and
 * the links of its files. A character has up to 4 bytes.
 */
const largestAnswer = 8 * 1_024 ** 2;

/**
 * It is unknown whether Discord carried out the request: for example, the answer was cut off. After this error, the REST client
 * repeats only answers to interactions (request-state.ts).
 */
export class AnswerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AnswerError";
  }
}

const limitSchema = z.object({ retry_after: z.number().positive(), global: z.boolean().catch(false) });

/** Discord writes the wait of a 429 into headers and body (docs: Rate Limits), but the client reads only the headers. */
async function addLimit(headers: Headers, body: Buffer): Promise<void> {
  const said: unknown = await new Response(body).json().catch(() => undefined);
  const { data: limit } = limitSchema.safeParse(said);
  if (!limit) return;
  if (!headers.has("retry-after")) headers.set("retry-after", String(limit.retry_after));
  if (limit.global) headers.set("x-ratelimit-global", "true");
}

/**
 * Returns an answer only when its whole body has come. The client itself applies its time limit and its signal to the headers
 * only. Throws an `AnswerError` if headers came, but the body is too large, too late or cut off. Throws a `TypeError` if the
 * answer to a GET is neither an error (status 400 and above) nor JSON, for example a proxy's web page or redirect.
 */
export function withWholeBody(send: Send): Send {
  return async (url, init) => {
    const { body, status, statusText, headers } = await send(url, init);
    const whole = await readBytes(body ?? [], largestAnswer).catch((error: unknown) => {
      throw new AnswerError("Discord's answer broke off, or took too long", error);
    });
    if (!whole) throw new AnswerError("Discord's answer is larger than 8 MiB");
    const named = new Headers([...headers]);
    if (status === 429) await addLimit(named, whole);
    // The client parses every answer whose type is JSON, even an empty one such as a 204.
    if (whole.length === 0) named.delete("content-type");
    const isJson = named.get("content-type")?.startsWith("application/json") === true;
    if (init.method === "GET" && status < 400 && !isJson) throw new TypeError("this is no answer of Discord");
    return new Response(whole.length > 0 ? whole : null, { status, statusText, headers: named });
  };
}
