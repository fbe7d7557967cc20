import type { APIApplicationCommand, APIAttachment, APIMessage, APIUser, ChannelType } from "@discordjs/core";
import type { Bus } from "../bus.ts";
import type { Limits } from "../rules.ts";

export type ApiMessage = APIMessage;
/** A file as the API shows it; made by `upload`. */
export type Attachment = APIAttachment;
export type ApplicationCommand = APIApplicationCommand;

export interface RoleModel {
  readonly id: string;
  readonly name: string;
  readonly permissions: bigint;
  readonly mentionable: boolean;
  readonly position: number;
  readonly managed: boolean;
}

export interface MemberModel {
  readonly user: APIUser;
  readonly locale: string;
  roles: string[];
}

interface OverwriteModel {
  readonly id: string;
  /** 0 for a role, 1 for a member. */
  readonly type: 0 | 1;
  readonly allow: bigint;
  readonly deny: bigint;
}

export interface ChannelModel {
  readonly id: string;
  readonly name: string;
  readonly type: ChannelType;
  readonly guildId?: string;
  /** The other side of a direct message. */
  readonly recipientId?: string;
  readonly position: number;
  overwrites: OverwriteModel[];
  deleted: boolean;
}

export interface GuildModel {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly locale: string;
  /** When the bot joined, epoch ms. */
  readonly joinedAt: number;
  readonly systemChannelId: string | null;
  readonly channels: ChannelModel[];
  readonly roles: RoleModel[];
  readonly members: MemberModel[];
  unavailable: boolean;
  /** Maximum bytes of a file, as interactions say it; by default Discord's 10 MiB. A test may change it at any time. */
  attachmentLimit?: number;
  present: boolean;
  /** Returns the id of the channel, role or person with this name. Throws if there is none. */
  channel(name: string): string;
  role(name: string): string;
  person(name: string): string;
}

/** Every part has a default. The bot always has a role of its own. */
export interface GuildSpec {
  readonly id?: string;
  readonly name?: string;
  /** Discord locale; default "en-US". */
  readonly locale?: string;
  /** When the bot joined, epoch ms; default a year ago. */
  readonly joinedAt?: number;
  /** Name; default none. */
  readonly systemChannel?: string;
  /** Text channels; default new-orders and staff. */
  readonly channels?: readonly (string | { name: string; id: string })[];
  /** Default: Staff, with Manage Server, and Helpers. */
  readonly roles?: readonly { name: string; id?: string; permissions?: bigint; mentionable?: boolean }[];
  /** The first one owns the server; default owner, staff (role Staff), helper (role Helpers) and member. */
  readonly people?: readonly { name: string; id?: string; roles?: readonly string[]; locale?: string }[];
}

/** A message, with facts that only Discord's own servers know. */
export interface StoredMessage {
  message: ApiMessage;
  readonly channelId: string;
  readonly guildId?: string;
  /** The only person who sees an ephemeral answer. */
  readonly ephemeralFor?: string;
}

export interface UploadedPart {
  readonly field: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface RecordedRequest {
  readonly method: string;
  /** Without `/api/v10` and without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the `payload_json` of a multipart body. */
  readonly body: unknown;
  readonly files: readonly UploadedPart[];
  /** Epoch ms of arrival. */
  readonly at: number;
  /** Status of the answer; undefined while there is none, 0 if the connection was cut instead. */
  status?: number;
}

export interface Evidence {
  readonly requests: RecordedRequest[];
  readonly refusals: { method: string; path: string; reason: string }[];
  readonly unknownKeys: { method: string; path: string; keys: string[] }[];
  /** Frames that the bot sent, without heartbeats. In an Identify or Resume, the word `token` replaces the token. */
  readonly frames: unknown[];
  /** Files that people uploaded. */
  readonly uploads: { name: string; bytes: Buffer }[];
}

/** A fault at the network edge. */
export interface FaultRule extends Limits<RecordedRequest> {
  /** Tested against the path without `/api/v10`. */
  readonly path: RegExp;
  /** Answers with this status. The request does not take effect. */
  readonly status?: number;
  readonly body?: unknown;
  /** These replace or extend the answer's headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Cuts the connection before the request takes effect, or between its effect and the answer. */
  readonly drop?: "before" | "after";
}

/** Each event, with the argument of its listeners. */
export interface PretendEvents {
  message: StoredMessage;
  edit: StoredMessage;
  request: RecordedRequest;
  /** The request was answered, or its connection was cut. */
  response: RecordedRequest;
  /** A first or later answer to an interaction. */
  answer: { readonly id: string };
  commands: { readonly guildId?: string };
  gateway: { readonly what: "connected" | "identified" | "refused" | "resumed" | "closed" };
  world: { readonly guildId?: string };
  dispatch: GatewayDispatch;
}

export type DiscordBus = Bus<PretendEvents>;

export interface GatewayDispatch {
  readonly t: string;
  readonly d: Record<string, unknown>;
  /** Decides the shard. Without it, shard 0. */
  readonly guildId?: string;
}
