/** Maximum duration of a call with all its waits and attempts, in ms. People do not wait much longer than 12 s. */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/** Maximum wait of a poll before an attempt, in ms. Rather than wait longer, the poll fails and is repeated later. */
export const longestPollWaitMs = 2_000;
