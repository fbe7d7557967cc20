import type { API } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";

/** A token begins with the bot's id in base64. */
const idIn = (token: string) => Buffer.from(token.split(".")[0] ?? "", "base64").toString();

const isMissing = (error: unknown) => error instanceof DiscordAPIError && error.status === 404;

/**
 * Ids of the bot's user and of its application, which are one and the same for all but the oldest bots. An API behind a
 * proxy that does not pass one of the two requests on is no reason not to start.
 */
export async function whoAmI(api: API, token: string): Promise<{ botId: string; applicationId: string }> {
  const [botId, applicationId] = await Promise.all([
    api.users.getCurrent().then(
      ({ id }) => id,
      (error: unknown) => {
        if (isMissing(error) && /^\d+$/.test(idIn(token))) return idIn(token);
        throw error;
      },
    ),
    api.applications.getCurrent().then(
      ({ id }) => id,
      (error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      },
    ),
  ]);
  return { botId, applicationId: applicationId ?? botId };
}
