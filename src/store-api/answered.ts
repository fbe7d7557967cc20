import { parseTime } from "./parse-time.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Hash of the body if the status is 2xx. */
  readonly fingerprint: string | undefined;
}

/** When the server answered, by its `Date` header; epoch ms. */
export function dateOf({ headers }: Answered): number | undefined {
  const { date } = headers;
  return typeof date === "string" ? parseTime(date) : undefined;
}

/** Some servers write a byte order mark before the JSON (RFC 8259, 8.1). */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
