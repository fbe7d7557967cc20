import { interactiveMs, StoreError } from "../store-api/store-api.ts";

/** For an answer made of several requests, one after the other: together they take no longer than one may. */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), interactiveMs).unref();
  return controller.signal;
}
