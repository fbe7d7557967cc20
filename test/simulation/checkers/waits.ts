import { type Evidence, minute, type Trouble } from "../world/record.ts";

/** Longest waits after a failure: 5 minutes, or about 15 after a refused token, a changed clock or a restored copy. */
export const longestWaitMs = 5 * minute;
export const longestOfAll = 16 * minute;
/** First wait after a refused token. */
const firstWaitMs = 64_000;
const openedMs = 30_000;

/** Returns how long the bot may wait after the end of a trouble that lasted for `lastedMs`. Waits double with each try. */
export function waitAfter({ kind, how }: Trouble, lastedMs: number): number {
  // A new process has no waits, and a new token ends them.
  if (kind === "process" || how === "new token" || how === "other store") return 0;
  // When a channel is open again, the bot hears of it, and tries again within 30 s.
  if (kind === "channel") return openedMs;
  if (kind === "settings") return longestOfAll;
  const most = how === "token-refused" || kind === "clock" ? longestOfAll : longestWaitMs;
  return Math.min(firstWaitMs + 2 * lastedMs, most);
}

/** Longest wait that earlier troubles may leave, with a minute to spare. */
export const waitLeft = ({ troubles }: Pick<Evidence, "troubles">): number =>
  troubles.some(({ how }) => how === "token-refused") ? longestOfAll : longestWaitMs + minute;
