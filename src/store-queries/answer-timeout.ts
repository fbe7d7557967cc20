import { StoreError } from "../store-api/store-api.ts";
import { longestCallMs } from "../store-api/time-limits.ts";

/** Aborts after the time limit of one call for a person (12 s), so that several requests take no longer than one call. */
export function answerTimeout(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StoreError("timeout", "several requests")), longestCallMs.interactive).unref();
  return controller.signal;
}
