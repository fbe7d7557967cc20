import type { Problem } from "./errors.ts";
import type { UploadedPart } from "./model.ts";
import type { BucketSpec } from "./rate-limits.ts";
import type { SchemaName } from "./spec.ts";

export interface ApiRequest {
  /** Ids and tokens in the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly UploadedPart[];
  /**
   * Checks by Discord's specification and then by `more`. Throws an `ApiError` (400, code 50035) if the body breaks a rule.
   * Pass `body` if only a part of the request's body follows the schema.
   */
  check<T>(schema: SchemaName, more: (body: T) => readonly Problem[], body?: unknown): T;
}

/** No body with 204. */
export interface ApiReply {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** Parts with a colon are parameters. Those whose name ends in "Id" must be snowflakes. */
  readonly path: string;
  /** "bot": needs the bot's token. "token": the token in the path is enough, and the global limit does not apply. */
  readonly auth: "bot" | "token";
  readonly bucket?: BucketSpec;
  readonly handle: (request: ApiRequest) => ApiReply;
}

export function ok(body: unknown): ApiReply {
  return { status: 200, body };
}

export const noContent: ApiReply = { status: 204 };

/** Parameters become named groups. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}
