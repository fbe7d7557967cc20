import { interactiveMs, StoreError } from "../store-api/store-api.ts";

/**
 * Makes a signal that limits the time of an answer which needs several requests. Together they may take as long as one
 * request (`interactiveMs`).
 */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), interactiveMs).unref();
  return controller.signal;
}
