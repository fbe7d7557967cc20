import { AsyncLocalStorage } from "node:async_hooks";
import { sleep } from "../../basics/limits/sleep.ts";
import type { Send } from "./invalid-request-limit.ts";
import { firstAnswer, newMessage, shownAnswer } from "./route-of.ts";
import { AnswerError } from "./with-whole-body.ts";

interface RequestState {
  /** After this signal aborts, no further attempt is sent. The answer of an attempt under way is awaited. */
  readonly stop: AbortSignal | undefined;
  /** True from the start of an attempt until the attempt ends with a 429, a 5xx or no answer. */
  isUnderWay: boolean;
  /** Attempts that ended with a 5xx or without an answer: Discord may have carried them out. A 429 is not counted. */
  failures: number;
  onPause(): void;
}

/** The state of the request under way. `@discordjs/rest` does not pass it to the code that sends the attempts. */
const requests = new AsyncLocalStorage<RequestState>();
const newRequest = (stop?: AbortSignal): RequestState => ({
  stop,
  isUnderWay: false,
  failures: 0,
  onPause: () => undefined,
});

/** After `stop` aborts, `run` sends no further attempt. If Discord then certainly carried out no attempt, returns undefined. */
export async function unlessStopped<T>(stop: AbortSignal | undefined, run: () => Promise<T>): Promise<T | undefined> {
  const request = newRequest(stop);
  try {
    return await requests.run(request, run);
  } catch (error) {
    if (stop?.aborted && !request.isUnderWay && request.failures === 0) return undefined;
    throw error;
  }
}

/** Must not be named `AbortError`, because the client repeats a request after an `AbortError`. */
export class RequestAborted extends Error {
  constructor() {
    super("the request was called off");
    this.name = "RequestAborted";
  }
}

/** After a lost connection, the client repeats a request only if the error has this code. */
class AttemptLost extends Error {
  readonly code = "ECONNRESET";

  constructor(cause: unknown) {
    super("the connection was lost", { cause });
    this.name = "AttemptLost";
  }
}

/**
 * Ends the request at once when `signal` aborts, or when the request is stopped and no attempt is under way. The client itself
 * obeys a signal only in some of its waits. It never removes its listeners from a signal, so each request has a new signal.
 */
export async function trackRequest<T>(
  signal: AbortSignal | null | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const request = requests.getStore() ?? newRequest();
  const { stop } = request;
  const own = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    own.abort();
    reject(new RequestAborted());
  };
  request.onPause = () => {
    if (stop?.aborted && !request.isUnderWay) abort();
  };
  if (signal?.aborted) abort();
  request.onPause();
  signal?.addEventListener("abort", abort);
  stop?.addEventListener("abort", request.onPause);
  try {
    if (own.signal.aborted) return await aborted;
    return await Promise.race([aborted, requests.run(request, () => run(own.signal))]);
  } catch (error) {
    throw error instanceof AttemptLost ? error.cause : error;
  } finally {
    signal?.removeEventListener("abort", abort);
    stop?.removeEventListener("abort", request.onPause);
  }
}

/**
 * Time limit of the first attempt to send a first answer. Of the 3 s that Discord allows, 1 s is left for another attempt. With
 * a shorter limit, an answer that Discord accepts slowly would be sent twice.
 */
const firstAnswerMs = 2_000;
/**
 * Wait before the second attempt of a request; it doubles before each further attempt. The client itself does not wait after a
 * 5xx or a lost connection, so all attempts would be over within milliseconds. With this wait, the fourth attempt begins after
 * 2.1 s, so a first answer still comes in time.
 */
const firstPauseMs = 300;
/** Discord's error for a first answer to an interaction that has one already. */
const alreadyAnswered = /"code":\s*40060\b/;

/** An earlier attempt may have arrived, so Discord's error "already answered" counts as success. */
async function sendFirstAnswerAgain(send: Send, ...[url, init]: Parameters<Send>) {
  const answer = await send(url, init);
  if (answer.status !== 400) return answer;
  const body = await answer.text();
  if (alreadyAnswered.test(body)) return new Response(null, { status: 204 });
  return new Response(body, { status: answer.status, headers: [...answer.headers] });
}

/**
 * Two kinds of requests do no harm if they are repeated: the first answer to an interaction (Discord refuses a second one), and
 * an edit of that answer. So the client repeats them after any error that leaves it without an answer from Discord.
 */
const isAnswer = (url: string) => firstAnswer.test(url) || shownAnswer.test(url);

/**
 * If an earlier attempt to post a message got no clear answer, the message may have been posted. Then the refusal of a later
 * attempt proves nothing. In place of the refusal, the caller gets an `AnswerError`, and the outbox searches the channel for
 * the message. `retries`: how often the client repeats a request.
 */
export function withAttempts(send: Send, retries: number): Send {
  function attempt(url: string, init: Parameters<Send>[1], isRepeat: boolean) {
    if (retries === 0 || !firstAnswer.test(url)) return send(url, init);
    if (isRepeat) return sendFirstAnswerAgain(send, url, init);
    const late = AbortSignal.timeout(firstAnswerMs);
    return send(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late });
  }

  return async (url, init) => {
    const request = requests.getStore() ?? newRequest();
    const { failures } = request;
    if (failures > 0) await sleep(firstPauseMs * 2 ** (failures - 1), init.signal ?? undefined);
    request.isUnderWay = true;
    let status: number | undefined;
    try {
      const answer = await attempt(url, init, failures > 0).catch((error: unknown) => {
        throw isAnswer(url) ? new AttemptLost(error) : error;
      });
      ({ status } = answer);
      const isRefusal = status >= 400 && status < 500 && status !== 429;
      if (isRefusal && failures > 0 && init.method === "POST" && newMessage.test(url))
        throw new AnswerError("Discord refuses what an attempt before may have posted");
      return answer;
    } finally {
      if (status === undefined || status === 429 || status >= 500) {
        request.isUnderWay = false;
        if (status !== 429) request.failures++;
        request.onPause();
      }
    }
  };
}
