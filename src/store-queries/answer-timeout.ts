import { interactiveMs, StoreError } from "../store-api/store-api.ts";

/**
 * Makes a signal that aborts after `interactiveMs`. Several requests that share the signal take no longer together than one
 * request may take.
 */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), interactiveMs).unref();
  return controller.signal;
}
