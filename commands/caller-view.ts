import type { Caller } from "../src/discord/define-command.ts";
import type { Guild } from "../src/guilds/guild.ts";
import type { ViewContext } from "../src/views/context.ts";

/**
 * How an answer that only the caller sees is shown: in their language, and with the customer, for whoever may use the
 * bot may see who ordered. The server's privacy setting is about channels.
 */
export function callerView({ settings }: Guild, { locale }: Caller): ViewContext {
  return { locale, currency: settings.currency, privacy: "full" };
}
