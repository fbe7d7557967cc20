/** The longest times (ms) of a call with all its waits and attempts. People do not wait much longer than 12 s. */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/** After a 429 or before a retry, a background request waits at most this long. If it would have to wait longer, it fails. */
export const longestPollWaitMs = 2_000;
