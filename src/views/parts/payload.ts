import type {
  APIActionRowComponent,
  APIComponentInMessageActionRow,
  APIEmbed,
  APIMessageTopLevelComponent,
} from "discord.js";

/** A row of up to five buttons, or of one menu. */
export type ActionRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** Only the listed roles are mentioned, and a role is listed only if the server's people chose it. */
interface Mentions {
  readonly parse: [];
  readonly roles?: string[];
}

/** A file of a message. A component shows it by `attachment://` and its name. */
export interface PayloadFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** An answer for Discord's API. It is a Components V2 message, so it has no content and no embeds. */
export interface MessagePayload {
  /** Always has IsComponentsV2 (1 << 15). */
  readonly flags: number;
  readonly components: APIMessageTopLevelComponent[];
  readonly allowed_mentions: Mentions;
  /** At most ten. The client sends them apart from the JSON. */
  readonly files?: PayloadFile[];
}

/** Changes of a message with text and embeds. Fields that are left out stay as they are. */
export interface MessagePatch {
  readonly content: string;
  readonly components?: ActionRow[];
  readonly allowed_mentions: Mentions;
}

/**
 * A message in a channel or to a person, with text and embeds. It has no Components V2, because a locked phone shows nothing of
 * a Components V2 message (discord/discord-api-docs#7854).
 */
export interface PostPayload {
  /** At most 2,000 characters. A locked phone shows the first line. */
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: ActionRow[];
  readonly allowed_mentions: Mentions;
  /** At most ten. The client sends them apart from the JSON. */
  readonly files?: PayloadFile[];
  readonly attachments?: { readonly id: string; readonly filename: string; readonly description: string }[];
}
