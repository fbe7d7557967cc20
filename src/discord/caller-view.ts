import type { Guild } from "../guilds/guild.ts";
import type { ViewContext } from "../views/context.ts";
import type { Caller } from "./define-command.ts";

/**
 * How an answer that only the caller sees is shown: in their language, and with the customer, for whoever may use the
 * bot may see who ordered. The server's privacy setting is about channels.
 */
export function callerView({ settings }: Guild, { locale }: Caller): ViewContext {
  return { locale, currency: settings.currency, privacy: "full" };
}
