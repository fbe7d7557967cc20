import { StoreError } from "../store-api/store-api.ts";
import { longestCallMs } from "../store-api/time-limits.ts";

/** Aborts after 12 s, the longest time of one call for a person. So several calls with this signal together take no longer. */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), longestCallMs.interactive).unref();
  return controller.signal;
}
