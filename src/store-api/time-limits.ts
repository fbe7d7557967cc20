/** For a call with all its waits and attempts, in ms. People do not wait much longer than 12 s. */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/** For a background request after a 429, or before a retry. A longer wait fails, and a later poll repeats the request. */
export const longestPollWaitMs = 2_000;
