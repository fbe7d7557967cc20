import { interactiveMs, StoreError } from "../store-api/store-api.ts";

/**
 * A signal for an answer that needs several requests. All of them together may take as long as one request
 * (`interactiveMs`).
 */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), interactiveMs).unref();
  return controller.signal;
}
