import { interactiveMs, StoreError } from "../store-api/store-api.ts";

/** Makes a signal by which several requests together take no longer than one may (`interactiveMs`). */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), interactiveMs).unref();
  return controller.signal;
}
