import { errors } from "undici";
import type { StoreErrorCode } from "./store-error.ts";

export interface TransportFault {
  readonly code: Extract<StoreErrorCode, "unavailable" | "timeout" | "malformed" | "too_large">;
  /** The name of the error in the library or the system, such as `ECONNREFUSED`. */
  readonly name: string;
  /** Certainly no byte of the request was sent. */
  readonly neverSent: boolean;
}

export function transportFault(error: unknown): TransportFault {
  const name = codeOf(error);
  const neverSent = failedToConnect(error);
  const notHttp =
    error instanceof SyntaxError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.HTTPParserError ||
    name.startsWith("HPE_");
  return { code: notHttp ? "malformed" : "unavailable", name, neverSent };
}

function failedToConnect(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError) return true;
  // A host name with several addresses has one error for each address.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(failedToConnect);
  if (!(error instanceof Error) || !("syscall" in error)) return false;
  return error.syscall === "connect" || error.syscall === "getaddrinfo";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
