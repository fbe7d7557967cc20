/** Limits of a call with all its waits and attempts. People do not wait much longer than 12 s. */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/** Limit of a background request's wait after a 429 or before a retry. A request that would wait longer fails. */
export const longestPollWaitMs = 2_000;
