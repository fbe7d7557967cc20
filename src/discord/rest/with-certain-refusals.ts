import type { Send } from "./invalid-request-limit.ts";
import { newMessage } from "./route-of.ts";
import { AnswerError } from "./with-whole-body.ts";

/**
 * Sends one attempt of a request. If an earlier attempt to post the same message got no answer, that attempt may have
 * been posted. A refusal of the next attempt then proves nothing, so this function throws. The client repeats a request
 * with the same headers object, so that object identifies the attempts of one request. A clear refusal is returned
 * unchanged; `outbox/posting.ts` handles it.
 *
 * @throws AnswerError, which the client does not repeat; the sender then searches the channel for the message
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
