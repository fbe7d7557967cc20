import { REST } from "discord.js";

/**
 * Discord's REST client: waits for rate limits and repeats what failed with a 5xx or a lost connection.
 * At most 50 requests a second for the whole bot (Discord's global limit).
 *
 * @param apiUrl base of the API without a version
 */
export function createRest({ token, apiUrl }: { token: string; apiUrl: string }): REST {
  return new REST({ version: "10", api: apiUrl, retries: 3, timeout: 15_000 }).setToken(token);
}
