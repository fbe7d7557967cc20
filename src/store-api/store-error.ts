/**
 * Why a call to the Store Open API has no result.
 *
 * - `unauthorized`: the token was refused (401, 403 with JSON or an empty body, or 2xx with a body that says so), or has
 *   characters that no token has.
 * - `not_found`: no such order exists (404, or 2xx with a body that says so), or the text cannot be the id of an order.
 * - `invalid`: the API refused the input. `detail` may say why.
 * - `rate_limited`: a 429 pauses the token, people have used up their budget, or too many calls wait. `retryAfterMs` says how
 *   long to wait.
 * - `unavailable`: the connection failed or was lost; the status is 5xx, 408 or 425; a firewall answered (403 with a body that
 *   is no JSON); no memory is left for the answer; or the client was closed.
 * - `timeout`: the call, or several calls together, took too long.
 * - `malformed`: the answer is a redirect, does not have the documented form, or says that a list has no first page.
 * - `too_large`: the answer has more than 4 MiB, more than 10,000 rows, or more values than 5,000 orders with one item.
 * - `ambiguous`: a creation was sent, and its result is unknown. It must not be sent again.
 */
export type StoreErrorCode =
  | "unauthorized"
  | "not_found"
  | "invalid"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "malformed"
  | "too_large"
  | "ambiguous";

/** No field contains the token. Only `detail` can have an id, an e-mail address or other words of an answer. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** Only for `invalid`: the API's own message, as `cleanDetail` returns it. */
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Another attempt may succeed and does no harm. */
  readonly canRepeat: boolean;

  constructor(
    code: StoreErrorCode,
    what: string,
    details: Partial<Pick<StoreError, "detail" | "retryAfterMs" | "canRepeat">> = {},
  ) {
    super(`${code}: ${what}`);
    this.name = "StoreError";
    this.code = code;
    this.canRepeat = details.canRepeat ?? false;
    this.detail = details.detail;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The store answered, but not in a usable way. Other requests may succeed. */
export const isUnusable = ({ code }: Pick<StoreError, "code">): boolean =>
  code === "malformed" || code === "too_large" || code === "invalid";
