import { StoreError } from "../store-api/store-api.ts";
import { longestCallMs } from "../store-api/time-limits.ts";

/**
 * Aborts after 12 s. One call for a person may take this long. So several calls with this signal together take no longer than
 * one call.
 */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), longestCallMs.interactive).unref();
  return controller.signal;
}
