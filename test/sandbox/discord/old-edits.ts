import { tooManyRequests } from "./errors.ts";
import type { StoredMessage } from "./model.ts";
import { type BucketSpec, createRateLimits } from "./rate-limits.ts";
import { timeOf } from "./snowflake.ts";

/** What Discord's own sentence says (docs: Opcodes and Status Codes, JSON error code 30046). */
const OLD_MS = 3_600_000;

/** Discord's limit on edits of messages older than an hour, for each channel by itself. */
export interface OldEdits {
  /** Off while undefined. */
  set(limit: BucketSpec | undefined): void;
  /** Counts an edit of this message; throws 429 with code 30046 when it is one too many. */
  take(stored: StoredMessage): void;
}

/** The limit, switched off; ages by `now` (epoch ms). */
export function createOldEdits(now: () => number): OldEdits {
  let limit: BucketSpec | undefined;
  let counts = createRateLimits(now);
  return {
    set(next) {
      limit = next;
      counts = createRateLimits(now);
    },
    take({ message, channelId }) {
      if (limit === undefined || now() - timeOf(message.id) <= OLD_MS) return;
      const { retryAfterMs } = counts.take("edits of old messages", channelId, limit);
      if (retryAfterMs !== undefined) throw tooManyRequests({ seconds: retryAfterMs / 1_000, why: "old-edits" });
    },
  };
}
