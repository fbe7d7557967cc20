/** For a call with all its waits and attempts, in ms. People do not wait much longer than 12 s. */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/**
 * For a background request after a 429, or before a retry. Rather than wait longer, it fails, and a later poll repeats it.
 * Waiting for a free place does not count.
 */
export const longestPollWaitMs = 2_000;
