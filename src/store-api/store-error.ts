/**
 * Why a call to the Store Open API brought no result.
 *
 * - `unauthorized`: the token was refused (401; 403 with JSON or with nothing).
 * - `not_found`: there is no such order or page (404).
 * - `invalid`: the API refused what was asked; `detail` has its own words.
 * - `rate_limited`: refused with 429 for longer than the call may wait, or held back because another was, or because too
 *   many calls wait; `retryAfterMs` says for how long.
 * - `unavailable`: no connection, a dropped one, 5xx, the page of a firewall (403 with anything but JSON), or no room left
 *   for a large answer among those of all stores.
 * - `timeout`: connecting, the headers, the body or the whole call took too long.
 * - `malformed`: an answer that is not the documented one; a redirect is one, since the document knows none.
 * - `too_large`: an answer of more than 4 MiB, of more values than 5,000 orders have, or in more than 100,000 pieces.
 * - `ambiguous`: a creation was sent and it is unknown what became of it; it must not be sent again.
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

/** Details of a {@link StoreError}. */
export interface StoreErrorDetails {
  readonly detail?: string;
  readonly retryAfterMs?: number;
}

/** A failed call. Neither the message nor any other field holds the token, an id, an e-mail address or the API's body. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** The API's own message, only for `invalid`: one line without markup or control characters, at most 200 characters. */
  readonly detail?: string;
  /** Milliseconds after which the API wants to be asked again. */
  readonly retryAfterMs?: number;

  constructor(code: StoreErrorCode, what: string, details: StoreErrorDetails = {}) {
    super(`${code}: ${what}`);
    this.name = "StoreError";
    this.code = code;
    if (details.detail !== undefined) this.detail = details.detail;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
  }
}
