import { type Answered, dateOf, jsonIn } from "./answered.ts";
import { type Refusal, readRefusal } from "./read-refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StoreError } from "./store-error.ts";

/**
 * For a status other than 2xx. store-error.ts explains the codes.
 *
 * @param what names the request in the log
 * @param token is removed from the API's message
 * @param creating whether the request was a creation. Most 4xx mean that nothing was created; after any other status, the
 * product may exist
 */
export function errorOfStatus(answered: Answered, what: string, token: string, creating: boolean): StoreError {
  const { status, headers } = answered;
  // 408 and 425 say that the server was not ready, so the request may be right.
  const isOfServer = status >= 500 || status === 408 || status === 425;
  const isAboutInput = status >= 400 && !isOfServer && ![401, 403, 404, 429].includes(status);
  // A 404 to a creation may be about its category.
  if (isAboutInput || (status === 404 && creating)) {
    return errorOfRefusal(readRefusal(jsonIn(answered.body), token), what, status, creating);
  }
  const repeatable = { canRepeat: true, retryAfterMs: retryAfterMs(headers["retry-after"], dateOf(answered)) };
  if (status === 401) return new StoreError("unauthorized", what);
  if (status === 403) return new StoreError(isPage(answered.body) ? "unavailable" : "unauthorized", what);
  if (status === 404) return new StoreError("not_found", what);
  if (status === 429) return new StoreError("rate_limited", what, repeatable);
  if (creating) return new StoreError("ambiguous", what);
  return isOfServer ? new StoreError("unavailable", what, repeatable) : new StoreError("malformed", what);
}

/** Whether, for example, a firewall has answered in place of the API. */
const isPage = (body: Buffer) => body.toString("utf8").trim() !== "" && jsonIn(body) === undefined;

/** For an answer whose body says that the API refused the request. The status may be 2xx. */
export function errorOfRefusal(
  { code: said, detail }: Refusal,
  what: string,
  status: number,
  creating: boolean,
): StoreError {
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  return isAboutInput ? new StoreError("invalid", what, { detail }) : new StoreError(code, what);
}
