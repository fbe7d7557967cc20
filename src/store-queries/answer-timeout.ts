import { StoreError } from "../store-api/store-api.ts";
import { longestCallMs } from "../store-api/time-limits.ts";

/**
 * Makes a signal that aborts when one call for a person would have to end. Several requests that share the signal take no
 * longer together.
 */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), longestCallMs.interactive).unref();
  return controller.signal;
}
