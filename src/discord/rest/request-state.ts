import { AsyncLocalStorage } from "node:async_hooks";
import { CalledOffError } from "../../outbox/messenger.ts";
import type { Send } from "./invalid-request-limit.ts";
import { newMessage } from "./route-of.ts";
import { AnswerError } from "./with-whole-body.ts";

/** What is known of a request from its attempts. */
interface RequestState {
  /** True while a sent attempt has no answer yet. Stays true after the last answer. */
  isUnderWay: boolean;
  /** True if an attempt got no clear answer. */
  mayHaveArrived: boolean;
  /** Called when an attempt ended and the client waits or repeats the request. */
  onPause(): void;
}

/**
 * `@discordjs/rest` does not tell the code that sends an attempt which request it belongs to. So async storage has the request.
 */
const requests = new AsyncLocalStorage<RequestState>();
const newRequest = (): RequestState => ({ isUnderWay: false, mayHaveArrived: false, onPause: () => undefined });

/** Runs a request with a state for its attempts ({@link withAttempts}). */
export function trackRequest<T>(run: () => Promise<T>): Promise<T> {
  return requests.run(requests.getStore() ?? newRequest(), run);
}

/**
 * Runs one request. After `stop` aborts, no further attempt is sent. If an attempt is under way at that moment, its answer is
 * awaited.
 *
 * @param run gets the signal that ends the request
 * @throws CalledOffError if Discord certainly did not carry out the request
 */
export async function unlessCalledOff<T>(run: (signal: AbortSignal) => Promise<T>, stop: AbortSignal): Promise<T> {
  if (stop.aborted) throw new CalledOffError();
  const own = new AbortController();
  const request = newRequest();
  request.onPause = () => {
    if (stop.aborted && !request.isUnderWay) own.abort();
  };
  stop.addEventListener("abort", request.onPause);
  try {
    return await requests.run(request, () => run(own.signal));
  } catch (error) {
    throw stop.aborted && !request.mayHaveArrived ? new CalledOffError() : error;
  } finally {
    stop.removeEventListener("abort", request.onPause);
  }
}

/**
 * Makes a sender that notes in the state of a request when an attempt is sent and how the attempt ends. If an earlier attempt
 * to post the same message got no answer, the message may have been posted. A refusal of this attempt then proves nothing.
 *
 * @throws AnswerError instead of such a refusal. The outbox then searches the channel for the message
 */
export function withAttempts(send: Send): Send {
  return async (url, init) => {
    const request = requests.getStore() ?? newRequest();
    const { mayHaveArrived } = request;
    Object.assign(request, { isUnderWay: true, mayHaveArrived: true });
    let status: number | undefined;
    try {
      const answer = await send(url, init);
      ({ status } = answer);
      const isRefusal = status >= 400 && status < 500 && status !== 429;
      if (isRefusal && mayHaveArrived && init.method === "POST" && newMessage.test(url))
        throw new AnswerError("Discord refuses what an attempt before may have posted");
      return answer;
    } finally {
      const isLimited = status === 429;
      // A rate-limited attempt was not posted. An attempt before it may have been.
      if (isLimited) request.mayHaveArrived = mayHaveArrived;
      if (status === undefined || isLimited || status >= 500) {
        request.isUnderWay = false;
        request.onPause();
      }
    }
  };
}
