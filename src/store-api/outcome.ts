import type { Dispatcher } from "undici";
import { z } from "zod";
import type { Endpoint } from "./endpoints.ts";
import { readRefusal } from "./refusal.ts";
import { StoreError } from "./store-error.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

/** The envelope's `data`, and when the server says that it answered (its `Date` header, epoch milliseconds). */
export interface Answer<Data> {
  readonly data: Data;
  readonly servedAt?: number;
}

/** A failed attempt; `again` when another one cannot do harm and may succeed. */
interface Failure {
  readonly error: StoreError;
  readonly again: boolean;
}

/** What one attempt came to. */
export type Outcome<Data> = { readonly answer: Answer<Data> } | Failure;

const REFUSAL_DUMP_BYTES = 64 * 1024;

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });

const final = (error: StoreError): Failure => ({ error, again: false });

/** A request without an answer, or with half of one. A creation that may have arrived is `ambiguous`. */
export function lostTo(fault: TransportFault, what: string, creating: boolean): Failure {
  if (creating && !fault.neverSent) return final(new StoreError("ambiguous", what));
  const again = fault.neverSent || fault.code === "unavailable";
  return { error: new StoreError(fault.code, `${what} (${fault.name})`), again };
}

/**
 * Reads an answer to its end.
 *
 * @param token is struck out of the API's own words, should it repeat it
 */
export async function outcomeOf<Data>(
  response: Dispatcher.ResponseData,
  endpoint: Endpoint<Data>,
  token: string,
  signal: AbortSignal,
): Promise<Outcome<Data>> {
  const status = response.statusCode;
  const creating = endpoint.method === "POST";
  const what = `${endpoint.method} ${endpoint.path} (${status})`;
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess && !isWorded(status, creating)) {
    await response.body.dump({ limit: REFUSAL_DUMP_BYTES, signal }).catch(() => undefined);
    return refusedBy(status, what, creating, retryAfterMs(response));
  }
  let body: unknown;
  try {
    body = await response.body.json();
  } catch (error) {
    return isSuccess
      ? lostTo(transportFault(error), what, creating)
      : refusedWith(undefined, what, status, token, creating);
  }
  const parsed = envelope.safeParse(body);
  if (!isSuccess || (parsed.success && !parsed.data.success)) return refusedWith(body, what, status, token, creating);
  const data = endpoint.data.safeParse(parsed.data?.data);
  if (!data.success) return final(new StoreError(creating ? "ambiguous" : "malformed", what));
  const servedAt = dateOf(response);
  return { answer: servedAt === undefined ? { data: data.data } : { data: data.data, servedAt } };
}

/** Whether the API's own words matter: a 404 to a creation may be about its category, one to a read says all by itself. */
function isWorded(status: number, creating: boolean): boolean {
  if (status === 404) return creating;
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

function refusedBy(status: number, what: string, creating: boolean, retryAfterMs: number | undefined): Failure {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401 || status === 403) return final(new StoreError("unauthorized", what));
  if (status === 404) return final(new StoreError("not_found", what));
  if (status === 429) return { error: new StoreError("rate_limited", what, details), again: true };
  if (creating) return final(new StoreError("ambiguous", what));
  if (status >= 500) return { error: new StoreError("unavailable", what, details), again: true };
  return final(new StoreError("malformed", what));
}

function refusedWith(body: unknown, what: string, status: number, token: string, creating: boolean): Failure {
  const { code: said, detail } = readRefusal(body, token);
  const byStatus = status === 404 ? "not_found" : "invalid";
  const code = status < 300 ? said : byStatus;
  const isAboutInput = code === "invalid" || (creating && code === "not_found" && detail !== undefined);
  if (!isAboutInput) return final(new StoreError(code, what));
  return final(new StoreError("invalid", what, detail === undefined ? {} : { detail }));
}

/** `Retry-After` in seconds or as a date, which is read by the server's own clock where it shows it. */
function retryAfterMs(response: Dispatcher.ResponseData): number | undefined {
  const value = response.headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - (dateOf(response) ?? Date.now()));
}

function dateOf(response: Dispatcher.ResponseData): number | undefined {
  const value = response.headers.date;
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
