import type { APIEmbed, APIMessageTopLevelComponent } from "discord.js";
import type { ActionRow } from "./components.ts";

/** Nothing is parsed; a role is listed only where its owner chose it. */
interface Mentions {
  readonly parse: [];
  readonly roles?: string[];
}

/** An answer as Discord's API takes it: Components V2 only, so no content and no embeds. */
export interface MessagePayload {
  /** Always has IsComponentsV2 (1 << 15). */
  readonly flags: number;
  readonly components: APIMessageTopLevelComponent[];
  readonly allowed_mentions: Mentions;
}

/**
 * A message that is posted in a channel or sent to a person: a classic one, for its content is what a locked phone shows,
 * and the push of a Components V2 message is empty (discord/discord-api-docs#7854).
 */
export interface PostPayload {
  /** At most 2,000 characters; the first line is what a phone shows. */
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: ActionRow[];
  readonly allowed_mentions: Mentions;
}
