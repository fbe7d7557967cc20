import type { Mutex } from "../basics/limits/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Answered } from "./http-client.ts";
import { parseTime } from "./parse-time.ts";
import { jsonIn, readAnswer } from "./read-answer.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import { StoreError } from "./store-error.ts";
import type { TransportFault } from "./transport-fault.ts";

/** The `data` of the envelope. */
export interface Answer<Data> {
  readonly data: Data;
  /** When the server answered, by its `Date` header; epoch milliseconds. */
  readonly servedAt?: number | undefined;
  readonly fingerprint?: string | undefined;
}

/** A failed attempt. `again`: another attempt does no harm and may succeed. */
export interface Failure {
  readonly error: StoreError;
  readonly again: boolean;
}

/** The result of one attempt. */
export type Outcome<Data> = { readonly answer: Answer<Data> } | Failure;

const final = (error: StoreError): Failure => ({ error, again: false });

/** Classifies a request with no answer, or with half of one. A creation that may have arrived is `ambiguous`. */
export function lostTo(fault: TransportFault, what: string, creating: boolean): Failure {
  if (creating && !fault.neverSent) return final(new StoreError("ambiguous", what));
  const again = fault.neverSent || fault.code === "unavailable";
  return { error: new StoreError(fault.code, `${what} (${fault.name})`), again };
}

/**
 * Interprets an answer of the store.
 *
 * @param token is removed from the API's own words, in case it repeats the token
 * @throws the reason of `signal`, if the caller's time ended before a large answer was parsed (for reads only)
 */
export async function outcomeOf<Data>(
  answered: Answered,
  endpoint: Endpoint<Data>,
  token: string,
  largeAnswers: Pick<Mutex, "run">,
  signal: AbortSignal,
): Promise<Outcome<Data>> {
  const { status, body, fingerprint } = answered;
  const { method, path } = endpoint;
  const creating = method === "POST";
  const what = `${method} ${path} (${status})`;
  if (status < 200 || status >= 300) return refused(answered, what, token, creating);
  const servedAt = dateOf(answered);
  // The answer to a creation is read even after the call's time is over, because the product exists.
  const ended = creating ? undefined : signal;
  const content = await readAnswer(body, endpoint, token, largeAnswers, ended);
  if (content.kind === "data") return { answer: { data: content.data, servedAt, fingerprint } };
  if (content.kind === "refused") return refusedWith(content.refusal, what, status, creating);
  return final(new StoreError(creating ? "ambiguous" : content.kind, what));
}

function refused(answered: Answered, what: string, token: string, creating: boolean): Failure {
  const { status, headers } = answered;
  const isAboutInput = status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status);
  // A 404 to a creation may be about its category, so the API's own words are read.
  if (isAboutInput || (status === 404 && creating)) {
    return refusedWith(readRefusal(jsonIn(answered.body), token), what, status, creating);
  }
  const wait = retryAfterMs(headers["retry-after"], dateOf(answered));
  const details = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 401) return final(new StoreError("unauthorized", what));
  if (status === 403) return final(new StoreError(isPage(answered.body) ? "unavailable" : "unauthorized", what));
  if (status === 404) return final(new StoreError("not_found", what));
  if (status === 429) return { error: new StoreError("rate_limited", what, details), again: true };
  if (creating) return final(new StoreError("ambiguous", what));
  if (status >= 500) return { error: new StoreError("unavailable", what, details), again: true };
  return final(new StoreError("malformed", what));
}

/** Whether the body is a page of a firewall or of maintenance. The API itself answers with JSON, or with nothing. */
const isPage = (body: Buffer) => body.toString("utf8").trim() !== "" && jsonIn(body) === undefined;

function refusedWith({ code: said, detail }: Refusal, what: string, status: number, creating: boolean): Failure {
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  if (!isAboutInput) return final(new StoreError(code, what));
  return final(new StoreError("invalid", what, detail === undefined ? {} : { detail }));
}

function dateOf({ headers }: Answered): number | undefined {
  const { date } = headers;
  return typeof date === "string" ? parseTime(date) : undefined;
}
