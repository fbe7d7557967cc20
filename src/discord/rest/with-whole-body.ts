import type { Send } from "./invalid-request-limit.ts";

/**
 * The largest accepted answer: 8 MiB. Discord's largest answer is a page of 100 messages. Each has up to 4,000
 * characters of text and 6,000 of embeds, in up to 4 bytes each, and the links of its files.
 */
const largestAnswer = 8 * 1_024 ** 2;

/** Statuses without a body, by the fetch standard. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * It is unknown whether Discord carried out the request: its answer began but did not end well, or it refuses a message
 * that an earlier attempt may have posted. The REST client repeats a request only for certain names and codes of
 * errors, and this error has none of them. A clear refusal is an ordinary `DiscordAPIError`; `outbox/posting.ts`
 * handles it.
 */
export class AnswerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AnswerError";
  }
}

/**
 * Sends a request, and returns the answer when its whole body is there: at most 8 MiB, within the client's time limit
 * for the request. Without this function, the client's time limit and its signal would cover only the headers.
 *
 * @throws AnswerError if headers came, but the body is too large, too late or cut off
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
