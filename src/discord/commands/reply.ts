import type { MessagePatch, MessagePayload } from "../../views/parts/payload.ts";

/** The answer to an interaction while its command still runs, for commands that take long or send files. */
export interface Reply {
  /**
   * Replaces Discord's "thinking …", the pressed message or the payload shown before. Does nothing if the answer can no longer
   * be changed, or if a rate limit lasts too long. Throws a `ProblemError` ("not_shown") after any other failure.
   */
  show(payload: MessagePayload | MessagePatch): Promise<void>;
  /**
   * Sends one more message, which only the caller sees. Throws a `ProblemError` ("not_shown") after any failure. Call `show`
   * first: otherwise Discord puts this message in the place of "thinking …".
   */
  send(payload: MessagePayload): Promise<void>;
  /** A file may have at most this many bytes. */
  readonly fileBytes: number;
  /** When long work must end, by `performance.now()`: about a minute before Discord stops accepting changes of the answer. */
  readonly until: number;
  /** Aborted when the process ends. Work under way then answers with what it has. */
  readonly ending: AbortSignal;
}

/** Discord's usual limit, in bytes. */
const usualFileBytes = 10 * 1024 ** 2;

/** `limit` is `attachment_size_limit` of the interaction. Discord may leave it out. */
export const fileBytesOf = (limit: unknown): number =>
  typeof limit === "number" && limit > 0 ? Math.trunc(limit) : usualFileBytes;
