import type { Send } from "./invalid-request-limit.ts";

/**
 * 8 MiB. Discord's largest answer is a page of 100 messages: each with 4,000 characters of text and 6,000 of embeds, in
 * up to 4 bytes, and the links of its files.
 */
const largestAnswer = 8 * 1_024 ** 2;

/** Statuses without a body, by the fetch standard. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Discord's answer began and did not end well, so the request may have been carried out. The REST client repeats a
 * request by the name or code of its error. This error is not among those.
 */
export class AnswerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AnswerError";
  }
}

/**
 * Sends a request, and returns the answer once its body is complete: at most 8 MiB, within the time that the client
 * gives to a request. Without this, the client's time limit and its signal end at the headers.
 *
 * @throws AnswerError if headers came, and the body is too large, too late or cut off
 */
export function withWholeBody(send: Send): Send {
  return async (url, init) => {
    const { body, status, statusText, headers } = await send(url, init);
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      for await (const piece of body ?? []) {
        length += piece.length;
        if (length > largestAnswer) break;
        pieces.push(piece);
      }
    } catch (error) {
      throw new AnswerError("Discord's answer broke off, or took too long", error);
    }
    if (length > largestAnswer) throw new AnswerError("Discord's answer is larger than 8 MiB");
    const whole = bodiless.has(status) ? null : Buffer.concat(pieces);
    return new Response(whole, { status, statusText, headers: [...headers] });
  };
}
