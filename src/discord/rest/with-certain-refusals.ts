import type { Send } from "./invalid-request-limit.ts";
import { newMessage } from "./route-of.ts";
import { AnswerError } from "./with-whole-body.ts";

/**
 * Sends a request. If an earlier attempt to post a message had no answer, a refusal of the next attempt does not count
 * as an answer: the earlier attempt may have been posted. The client repeats a request with the same headers object,
 * which identifies the attempts.
 *
 * @throws AnswerError, which the client does not repeat, so that the message is searched for in the channel
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
    // A rate-limited attempt was not posted. An attempt before it may have been.
    if (answer.status === 429 && !wasSent) unanswered.delete(headers);
    const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (isRefusal && wasSent) throw new AnswerError("Discord refuses what an attempt before may have posted");
    return answer;
  };
}
