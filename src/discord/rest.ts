import { REST, RESTEvents } from "discord.js";

/** A rate limit that lasts longer is an error for the caller, who has other work. */
const longestWaitMs = 30_000;

/**
 * Discord's REST client: waits for rate limits of up to 30 s and repeats what failed with a 5xx or a lost connection.
 * At most 50 requests a second for the whole bot (Discord's global limit).
 *
 * @param apiUrl base of the API without a version
 */
export function createRest({ token, apiUrl }: { token: string; apiUrl: string }): REST {
  const rest = new REST({
    version: "10",
    api: apiUrl,
    retries: 3,
    timeout: 15_000,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > longestWaitMs,
  }).setToken(token);
  // One 401 makes the client forget the token for good. The gateway tells when it is really refused.
  rest.on(RESTEvents.Response, (_, { status }) => {
    if (status === 401) setImmediate(() => rest.setToken(token));
  });
  return rest;
}
