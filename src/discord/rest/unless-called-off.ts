import { AsyncLocalStorage } from "node:async_hooks";
import { CalledOffError } from "../../outbox/messenger.ts";
import type { Send } from "./invalid-request-limit.ts";

interface Request {
  /** True while an attempt was sent and has no answer yet, and after the last answer. */
  isUnderWay: boolean;
  /** True if an attempt got no clear answer. */
  mayHaveArrived: boolean;
  /** Ends the request if it was called off and no attempt is under way. */
  heed(): void;
}

/**
 * The request that the current attempt belongs to. It is in async storage, because the client passes only the address
 * and the contents to the code that sends an attempt.
 */
const requests = new AsyncLocalStorage<Request>();

/**
 * Runs one request. After `stop` aborts, no further attempt is sent. If an attempt is under way at that moment, its
 * answer is awaited.
 *
 * @param signal ends the request at once, in any state
 * @throws CalledOffError if the request was certainly not sent
 */
export async function unlessCalledOff<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { signal, stop }: { readonly signal: AbortSignal; readonly stop: AbortSignal },
): Promise<T> {
  if (stop.aborted) throw new CalledOffError();
  const own = new AbortController();
  const request: Request = {
    isUnderWay: false,
    mayHaveArrived: false,
    heed() {
      if (stop.aborted && !request.isUnderWay) own.abort();
    },
  };
  stop.addEventListener("abort", request.heed);
  try {
    return await requests.run(request, () => run(AbortSignal.any([signal, own.signal])));
  } catch (error) {
    throw stop.aborted && !request.mayHaveArrived ? new CalledOffError() : error;
  } finally {
    stop.removeEventListener("abort", request.heed);
  }
}

/** Sends an attempt, and notes when it is sent and how it ends, for requests that may be called off. */
export function withDepartures(send: Send): Send {
  return async (url, init) => {
    const request = requests.getStore();
    if (!request) return send(url, init);
    const { mayHaveArrived } = request;
    Object.assign(request, { isUnderWay: true, mayHaveArrived: true });
    let status: number | undefined;
    try {
      const answer = await send(url, init);
      ({ status } = answer);
      return answer;
    } finally {
      const isLimited = status === 429;
      // A rate-limited attempt was not posted. An attempt before it may have been.
      if (isLimited) request.mayHaveArrived = mayHaveArrived;
      // The client waits, or repeats the request.
      if (status === undefined || isLimited || status >= 500) {
        request.isUnderWay = false;
        request.heed();
      }
    }
  };
}
