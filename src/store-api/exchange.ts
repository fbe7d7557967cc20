import { createHash } from "node:crypto";
import type { Dispatcher } from "undici";
import type { Ending } from "./ending.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/** What came back, its body as it arrived. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly chunks: readonly Buffer[];
  /** Of all chunks. */
  readonly bytes: number;
  /** What the body is recognised by, where that was asked for. */
  readonly fingerprint?: string;
}

/** What became of one request. */
export type Exchange =
  | { readonly answered: Answered }
  | { readonly fault: TransportFault }
  /** The call ended first; `isSent` when the request may have left. */
  | { readonly isEnded: true; readonly isSent: boolean };

/** A refusal has no more to say; what is longer is an error page. */
const MOST_OF_A_REFUSAL = 64 * 1024;

/**
 * Sends one request and collects its answer, of a refusal at most 64 KiB. Never throws. This is undici's own level below
 * `request`: no stream, no promise and no timer for each answer, which would cost as much as the rest of a quiet poll.
 *
 * @param wantsFingerprint to take a fingerprint of a successful body while it arrives
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  ending: Ending,
  wantsFingerprint: boolean,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Answered["headers"] = {};
    const chunks: Buffer[] = [];
    let bytes = 0;
    // The cheapest hash that no two answers share by chance: 25 µs for 40 kB (SHA-256 33, MD5 57; with the pieces joined
    // first 33). A store that makes two on purpose hides its orders from itself alone.
    const hash = wantsFingerprint ? createHash("sha1") : undefined;

    function settle(result: Exchange): void {
      if (isOver) return;
      isOver = true;
      ending.tell(undefined);
      resolve(result);
    }
    const answer = () => settle({ answered: { status, headers, chunks, bytes, fingerprint: hash?.digest("base64") } });
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
        chunks.push(chunk);
        bytes += chunk.length;
        if (status >= 200 && status < 300) {
          hash?.update(chunk);
        } else if (bytes > MOST_OF_A_REFUSAL) {
          answer();
          stop();
        }
      },
      onResponseEnd: answer,
      onResponseError(_, error) {
        const fault = transportFault(error);
        settle({ fault: controller === undefined ? { ...fault, neverSent: true } : fault });
      },
    });
  });
}
