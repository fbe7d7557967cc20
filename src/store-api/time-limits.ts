/**
 * Maximum duration of a call by its priority, with all its waits and attempts. After about 12 s, people stop waiting for an
 * answer.
 */
export const longestCallMs = { interactive: 12_000, background: 20_000 } as const;
/** Maximum wait of a poll for the next attempt. If the wait is longer, the poll fails, and `polling/poll-failures.ts` waits. */
export const longestPollWaitMs = 2_000;
