import { readBytes } from "../../basics/read-bytes.ts";
import type { Send } from "./invalid-request-limit.ts";

/**
 * 8 MiB. Discord's largest answer is a page of 100 messages. A message has up to 4,000 characters of text, 6,000 of embeds, and
 * the links of its files. A character has up to 4 bytes.
 */
const largestAnswer = 8 * 1_024 ** 2;

/**
 * It is unknown whether Discord carried out the request: for example, the answer was cut off. The REST client does not repeat a
 * request after this error.
 */
export class AnswerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AnswerError";
  }
}

/**
 * Returns an answer only when its whole body has come. The client itself applies its time limit and its signal to the headers
 * only. Throws `AnswerError` if headers came, but the body is too large, too late or cut off.
 */
export function withWholeBody(send: Send): Send {
  return async (url, init) => {
    const { body, status, statusText, headers } = await send(url, init);
    const whole = await readBytes(body ?? [], largestAnswer).catch((error: unknown) => {
      throw new AnswerError("Discord's answer broke off, or took too long", error);
    });
    if (!whole) throw new AnswerError("Discord's answer is larger than 8 MiB");
    return new Response(whole.length > 0 ? whole : null, { status, statusText, headers: [...headers] });
  };
}
