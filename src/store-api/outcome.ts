import { z } from "zod";
import type { Ending } from "./ending.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Answered } from "./exchange.ts";
import { asItIs, readLargeJson } from "./large-json.ts";
import { parseTime } from "./parse-time.ts";
import { readRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { Slices } from "./slices.ts";
import { StoreError } from "./store-error.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/** The envelope's `data`, and what came with it. */
export interface Answer<Data> {
  readonly data: Data;
  /** When the server says that it answered (its `Date` header), epoch milliseconds. */
  readonly servedAt?: number;
  readonly fingerprint?: string;
}

/** A failed attempt; `again` when another one cannot do harm and may succeed. */
export interface Failure {
  readonly error: StoreError;
  readonly again: boolean;
}

/** What one attempt came to. */
export type Outcome<Data> = { readonly answer: Answer<Data> } | Failure;

/** Up to here a body is parsed in one go, 3 ms for the worst of them: nothing but keys. Larger ones are read in slices. */
const largestAtOnce = 64 * 1024;

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });

const final = (error: StoreError): Failure => ({ error, again: false });

/** A request without an answer, or with half of one. A creation that may have arrived is `ambiguous`. */
export function lostTo(fault: TransportFault, what: string, creating: boolean): Failure {
  if (creating && !fault.neverSent) return final(new StoreError("ambiguous", what));
  const again = fault.neverSent || fault.code === "unavailable";
  return { error: new StoreError(fault.code, `${what} (${fault.name})`), again };
}

/**
 * Reads an answer; undefined when the call ended meanwhile.
 *
 * @param token is struck out of the API's own words, should it repeat it
 */
export async function outcomeOf<Data>(
  answered: Answered,
  endpoint: Endpoint<Data>,
  token: string,
  slices: Slices,
  ending: Ending,
): Promise<Outcome<Data> | undefined> {
  const { status } = answered;
  const creating = endpoint.method === "POST";
  const what = `${endpoint.method} ${endpoint.path} (${status})`;
  if (status < 200 || status >= 300) return refusal(answered, what, token, creating);
  const servedAt = dateOf(answered);
  let read: { body: unknown; data: Data | undefined } | undefined;
  try {
    read = await slices.run(readSuccess(answered, endpoint), ending);
  } catch (error) {
    return lostTo(transportFault(error), what, creating);
  }
  if (read === undefined) return undefined;
  const { body, data } = read;
  if (envelope.safeParse(body).data?.success === false) return refusedWith(body, what, status, token, creating);
  if (data === undefined) return final(new StoreError(creating ? "ambiguous" : "malformed", what));
  return { answer: { data, servedAt, fingerprint: answered.fingerprint } };
}

/** Throws what the parser throws. */
function* readSuccess<Data>(
  answered: Answered,
  { wanted, read }: Endpoint<Data>,
): Generator<void, { body: unknown; data: Data | undefined }> {
  let body: unknown;
  let cut = 0;
  if (answered.body.length <= largestAtOnce) {
    body = JSON.parse(textOf(answered));
  } else {
    yield;
    ({ value: body, cut } = yield* readLargeJson(answered.body, {
      fields: { ...largeRefusal, success: asItIs, data: wanted },
    }));
  }
  const parsed = envelope.safeParse(body);
  return { body, data: parsed.data?.success ? yield* read(parsed.data.data, cut) : undefined };
}

/** What is read of a large envelope in case that it is a refusal. */
const largeRefusal = { message: asItIs, error: asItIs, code: asItIs, statusCode: asItIs };

/** Without the mark that some servers put before their text (RFC 8259, 8.1). */
function textOf({ body }: Answered): string {
  const text = body.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** `body` is undefined when it is no JSON. */
function refusal<Data>(answered: Answered, what: string, token: string, creating: boolean): Outcome<Data> {
  const { status, headers } = answered;
  const isAboutInput = status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status);
  // A 404 to a creation may be about its category; one to a read says all by itself.
  if (isAboutInput || (status === 404 && creating)) {
    return refusedWith(jsonIn(textOf(answered)), what, status, token, creating);
  }
  const wait = retryAfterMs(headers["retry-after"], dateOf(answered));
  const details = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 401) return final(new StoreError("unauthorized", what));
  if (status === 403) return final(new StoreError(isPage(textOf(answered)) ? "unavailable" : "unauthorized", what));
  if (status === 404) return final(new StoreError("not_found", what));
  if (status === 429) return { error: new StoreError("rate_limited", what, details), again: true };
  if (creating) return final(new StoreError("ambiguous", what));
  if (status >= 500) return { error: new StoreError("unavailable", what, details), again: true };
  return final(new StoreError("malformed", what));
}

/** A firewall's or a maintenance page: it says nothing of the token. The API itself answers with JSON, or with nothing. */
const isPage = (text: string) => text.trim() !== "" && jsonIn(text) === undefined;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusedWith(body: unknown, what: string, status: number, token: string, creating: boolean): Failure {
  const { code: said, detail } = readRefusal(body, token);
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
