import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { PostPayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";

/** Discord's limit on a server's name. */
const nameMax = 100;

/** The bot's first words, in a channel of the server or, with the server's name, to its owner; with the next step. */
export function greetingPost(locale: Locale, serverName?: string): PostPayload {
  const { inServer, toOwner, nextStep } = texts(locale).greeting;
  const hello = serverName === undefined ? `**${inServer}**` : toOwner(plain(serverName, nameMax));
  return { content: `🔔 ${hello}\n${nextStep}`, embeds: [], components: [], allowed_mentions: { parse: [] } };
}
