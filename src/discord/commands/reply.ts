import type { MessagePatch, MessagePayload } from "../../views/parts/payload.ts";

/** The answer that is under way, for what takes long or has files. */
export interface Reply {
  /** Puts this in the place of "thinking", or of what was shown last, until the answer comes. Rejects with what Discord refuses. */
  show(payload: MessagePayload | MessagePatch): Promise<void>;
  /**
   * One more message below the answer, which only the caller sees. Rejects with what Discord refuses. Something has to be shown
   * before: Discord puts a message in the place of "thinking" as long as that is there.
   */
  send(payload: MessagePayload): Promise<void>;
  /** The most bytes that one file may have here. */
  readonly fileBytes: number;
  /** Until when Discord takes what is shown and sent, by `performance.now()`. */
  readonly until: number;
  /** Aborted when the process ends: work under way answers with what there is. */
  readonly ending: AbortSignal;
}

/** Discord takes answers for 15 minutes; one is for the last of them to arrive, with a file. */
export const longestReplyMs = 14 * 60_000;
/** Discord's limit on a file where the interaction names none, and more is never held in memory: 10 MiB. */
const largestFile = 10 * 1024 ** 2;

/** @param limit `attachment_size_limit` of the interaction, which an old Discord may not send */
export function fileBytesOf(limit: unknown): number {
  return typeof limit === "number" && limit > 0 ? Math.min(Math.trunc(limit), largestFile) : largestFile;
}
