import type { API } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";

export interface Identity {
  readonly botId: string;
  /** The same as `botId`, except for the oldest bots. */
  readonly applicationId: string;
  /** Undefined if a proxy answered 404 to the request for the bot. */
  readonly name: string | undefined;
  /** One line for each wrong setting of the application: the fault, a semicolon, and what to do. */
  readonly problems: readonly string[];
}

/** A token begins with the bot's id in base64. */
const idIn = (token: string) => Buffer.from(token.split(".")[0] ?? "", "base64").toString();

const isMissing = (error: unknown) => error instanceof DiscordAPIError && error.status === 404;

/**
 * Asks Discord for the bot and its application. If a proxy answers 404, the bot's id comes from the token, and counts as the
 * application's id, too. Throws the error of any other failure. Throws a `TypeError` if the answer is not Discord's.
 */
export async function fetchIdentity(api: Pick<API, "users" | "applications">, token: string): Promise<Identity> {
  const [bot, application] = await Promise.all([
    api.users.getCurrent().catch((error: unknown) => {
      if (isMissing(error) && /^\d+$/.test(idIn(token))) return { id: idIn(token), username: undefined };
      throw error;
    }),
    api.applications.getCurrent().catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    }),
  ]);
  // If the answer is a web page, it has no id.
  if (!/^\d+$/.test(bot.id)) throw new TypeError("this is no answer of Discord");
  const applicationId = application?.id ?? bot.id;
  const portal = `https://discord.com/developers/applications/${applicationId}`;
  const problems = [
    ...(application?.interactions_endpoint_url
      ? [
          `General Information has an Interactions Endpoint URL, so Discord sends the commands there, and the bot never gets them; clear the field and press Save Changes: ${portal}/information`,
        ]
      : []),
    ...(application?.bot_require_code_grant
      ? [
          `Under Bot, Requires OAuth2 Code Grant is on, so the invite link ends with an error; turn it off and press Save Changes: ${portal}/bot`,
        ]
      : []),
  ];
  return { botId: bot.id, applicationId, name: bot.username, problems };
}
