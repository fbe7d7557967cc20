import type { Dispatcher } from "undici";
import type { Body } from "./body.ts";
import type { Ending } from "./ending.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it arrived, until its {@link Body} is freed. */
  readonly body: Buffer;
  /** What a successful body is recognised by, where that was asked for. */
  readonly fingerprint?: string;
}

/** What became of one request. */
export type Exchange =
  | { readonly answered: Answered }
  | { readonly fault: TransportFault }
  /** The call ended first; `isSent` when the request may have left. */
  | { readonly isEnded: true; readonly isSent: boolean };

/** A refusal has no more to say; what is longer is an error page. */
const largestRefusal = 64 * 1024;
/**
 * Each piece costs as much as hundreds of bytes: 8 MiB in single ones, a second of work and 90 ms of it at a stretch. An
 * ordinary page (40 kB) stays below it even so.
 */
const mostPieces = 100_000;
const tooManyPieces: TransportFault = { code: "too_large", name: "too many pieces", neverSent: false };
/**
 * No room for the body: nothing is wrong with this store or its answer, so it is none of `too_large`. Another attempt,
 * a moment later, finds room as soon as one of the others was read.
 */
const noRoom: TransportFault = { code: "unavailable", name: "no room for the answer", neverSent: false };

/**
 * Sends one request and collects its answer, of a refusal at most 64 KiB. Never throws. This is undici's own level below
 * `request`: no stream, no promise and no timer for each answer, which would cost as much as the rest of a quiet poll.
 *
 * @param body takes the answer's; the caller frees it
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  ending: Ending,
  body: Body,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Answered["headers"] = {};
    let bytes = 0;
    let pieces = 0;
    const isSuccess = () => status >= 200 && status < 300;

    function settle(result: Exchange): void {
      if (isOver) return;
      isOver = true;
      ending.tell(undefined);
      resolve(result);
    }
    function answer(): void {
      if (isOver) return;
      const fingerprint = isSuccess() ? body.fingerprint() : undefined;
      settle({ answered: { status, headers, body: body.bytes(), fingerprint } });
    }
    const stop = () => controller?.abort(new Error("the call ended"));

    ending.tell(() => {
      settle({ isEnded: true, isSent: controller !== undefined });
      stop();
    });
    if (isOver) return;
    dispatcher.dispatch(options, {
      // Just before the first byte is written: what failed earlier never left.
      onRequestStart(started) {
        controller = started;
        if (isOver) stop();
      },
      onResponseStart(_, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(_, chunk) {
        if (isOver) return;
        bytes += chunk.length;
        pieces += 1;
        if (pieces > mostPieces) settle({ fault: tooManyPieces });
        else if (!body.add(chunk)) settle({ fault: noRoom });
        else if (bytes > largestRefusal && !isSuccess()) answer();
        if (isOver) stop();
      },
      onResponseEnd: answer,
      onResponseError(_, error) {
        const fault = transportFault(error);
        settle({ fault: controller === undefined ? { ...fault, neverSent: true } : fault });
      },
    });
  });
}
