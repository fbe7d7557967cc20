import type { API } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";

/**
 * A setting of the application that keeps the bot from working. With an interactions endpoint, Discord does not send commands
 * to the gateway. With a code grant, an invite link ends with an error.
 */
export type ApplicationProblem = "interactions_endpoint" | "code_grant";

/** The bot and the application that a token belongs to. */
export interface Identity {
  readonly botId: string;
  /** The same as `botId`, except for the oldest bots. */
  readonly applicationId: string;
  /** Undefined if a proxy does not pass the request for the name on. */
  readonly name: string | undefined;
  readonly problems: readonly ApplicationProblem[];
}

/** A token begins with the bot's id in base64. */
const idIn = (token: string) => Buffer.from(token.split(".")[0] ?? "", "base64").toString();

const isMissing = (error: unknown) => error instanceof DiscordAPIError && error.status === 404;

/**
 * Asks Discord for the bot and its application. A proxy may not pass these requests on and answer 404. Then the ids are taken
 * from the other answer or from the token. Throws the error of any other failure, and a `TypeError` if another server answers.
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
  // A page of another server has no id.
  if (!/^\d+$/.test(bot.id)) throw new TypeError("this is no answer of Discord");
  const problems: ApplicationProblem[] = [];
  if (application?.interactions_endpoint_url) problems.push("interactions_endpoint");
  if (application?.bot_require_code_grant) problems.push("code_grant");
  return { botId: bot.id, applicationId: application?.id ?? bot.id, name: bot.username, problems };
}

/** URL of the developer portal's page where the problem is solved. */
export function portalPage(problem: ApplicationProblem, applicationId: string): string {
  const page = problem === "interactions_endpoint" ? "information" : "bot";
  return `https://discord.com/developers/applications/${applicationId}/${page}`;
}
