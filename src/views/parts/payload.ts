import type {
  APIActionRowComponent,
  APIComponentInMessageActionRow,
  APIEmbed,
  APIMessageTopLevelComponent,
} from "discord.js";

/** Up to five buttons, or one menu. */
export type ActionRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** A role is listed only if the server's people chose it. */
interface Mentions {
  readonly parse: [];
  readonly roles?: string[];
}

/** A component refers to the file by `attachment://` and its name. */
export interface PayloadFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** A Components V2 message has no `content` and no `embeds`. */
export interface MessagePayload {
  /** Always has IsComponentsV2 (1 << 15). */
  readonly flags: number;
  readonly components: APIMessageTopLevelComponent[];
  readonly allowed_mentions: Mentions;
  /** At most ten. They are not in the JSON of a request: each is a part of its own. */
  readonly files?: PayloadFile[];
}

/** Fields that are left out stay as they are. */
export interface MessagePatch {
  readonly content: string;
  readonly components?: ActionRow[];
  readonly allowed_mentions: Mentions;
}

/** Not Components V2, because a locked phone shows nothing of such a message (discord/discord-api-docs#7854). */
export interface PostPayload {
  /** At most 2,000 characters. A locked phone shows the first line. */
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: ActionRow[];
  readonly allowed_mentions: Mentions;
  readonly files?: PayloadFile[];
  readonly attachments?: { readonly id: string; readonly filename: string; readonly description: string }[];
}
