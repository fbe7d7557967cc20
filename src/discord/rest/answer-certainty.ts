import type { Send } from "./invalid-request-limit.ts";
import { newMessage } from "./route-of.ts";

/**
 * 8 MiB. The largest that Discord says is a page of 100 messages: 4,000 characters of text and 6,000 of embeds each, in up
 * to 4 bytes, and the links of their files.
 */
const largestAnswer = 8 * 1_024 ** 2;

/** Statuses that have no body, by the standard of fetch. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Discord began to answer, and the answer did not come to its end: what was asked for may be done. The client repeats what
 * was lost before an answer, by the name or the code of the error; this is none of them.
 */
class AnswerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AnswerError";
  }
}

/**
 * Sends, and hands an answer on once it is whole: of at most 8 MiB, and within the time that the client gives to a request.
 * The client itself would end its time, and ignore its signal, at the headers.
 *
 * @throws AnswerError when there were headers, and the rest is too large, too late or cut off
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

/**
 * Sends, and does not take a refusal of a message for an answer where an attempt before it had none: that one may have been
 * posted. The client repeats a request with the same headers.
 *
 * @throws AnswerError which the client does not repeat, so that what may stand in the channel is looked for there
 */
export function withCertainRefusals(send: Send): Send {
  const unanswered = new WeakSet<object>();
  return async (url, init) => {
    const isMessage = init.method === "POST" && newMessage.test(url);
    if (!isMessage || typeof init.headers !== "object") return send(url, init);
    const { headers } = init;
    const wasSent = unanswered.has(headers);
    unanswered.add(headers);
    const answer = await send(url, init);
    // What was limited was not posted; what went before may have been.
    if (answer.status === 429 && !wasSent) unanswered.delete(headers);
    const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (isRefusal && wasSent) throw new AnswerError("Discord refuses what an attempt before may have posted");
    return answer;
  };
}
