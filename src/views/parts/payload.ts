import type {
  APIActionRowComponent,
  APIComponentInMessageActionRow,
  APIEmbed,
  APIMessageTopLevelComponent,
} from "discord.js";

/** A row of up to five buttons, or of one menu. */
export type ActionRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** Nothing is parsed; a role is listed only where its owner chose it. */
interface Mentions {
  readonly parse: [];
  readonly roles?: string[];
}

/** A file that a message brings; a component shows it by `attachment://` and its name. */
export interface PayloadFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** An answer as Discord's API takes it: Components V2 only, so no content and no embeds. */
export interface MessagePayload {
  /** Always has IsComponentsV2 (1 << 15). */
  readonly flags: number;
  readonly components: APIMessageTopLevelComponent[];
  readonly allowed_mentions: Mentions;
  /** Ten at most. The client takes them out of what it sends as JSON. */
  readonly files?: PayloadFile[];
}

/** What changes in a classic message; what is not named stays as it is. */
export interface MessagePatch {
  readonly content: string;
  readonly components?: ActionRow[];
  readonly allowed_mentions: Mentions;
}

/**
 * A message that is posted in a channel or sent to a person: a classic one, because its content is what a locked phone shows,
 * and the push of a Components V2 message is empty (discord/discord-api-docs#7854).
 */
export interface PostPayload {
  /** At most 2,000 characters; the first line is what a phone shows. */
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: ActionRow[];
  readonly allowed_mentions: Mentions;
  /** Ten at most. The client takes them out of what it sends as JSON. */
  readonly files?: PayloadFile[];
  /** What the files show, in words; `id` is the file's place among them. */
  readonly attachments?: { readonly id: string; readonly filename: string; readonly description: string }[];
}
