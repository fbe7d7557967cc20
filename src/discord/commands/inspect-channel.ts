import {
  type API,
  type APIOverwrite,
  type APIRole,
  ChannelType,
  OverwriteType,
  PermissionFlagsBits,
} from "@discordjs/core";
import { MessengerError } from "../../outbox/messenger.ts";
import type { NeededPermission } from "../../views/parts/problem.ts";
import { neededPermissions } from "../publishing/invite.ts";
import { failureOf } from "../rest/rest-messenger.ts";

const seeAndWrite = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;

/** A channel, and a role that may be mentioned in it, as Discord shows them to the bot. */
export interface ChannelInspection {
  /** Whether it is a channel of that server. */
  readonly isOwn: boolean;
  /** Whether it is one that alerts can be posted in: a text or announcement channel. */
  readonly isText: boolean;
  /** What the bot lacks there to post alerts and to find them again, in the order of Discord's settings. */
  readonly missing: readonly NeededPermission[];
  /** The bot may not attach files there, which nothing but a digest's chart needs. */
  readonly lacksFiles?: true;
  /** Whether everybody in the server can read it. */
  readonly isPublic: boolean;
  /** Whether this member can see it and write in it. */
  readonly canWrite: boolean;
  /** The asked-for role, where it is one of that server. */
  readonly role?: {
    /** Everybody may mention it. */
    readonly isMentionable: boolean;
    /** Whether it rings when the bot mentions it there. */
    readonly rings: boolean;
    /** Whether this member may, as the channel's own settings have it. */
    readonly canMention: boolean;
  };
}

/** Which channel and role, for which member. */
export interface InspectionTarget {
  readonly guildId: string;
  readonly channelId: string;
  readonly roleId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}

/**
 * What a member is allowed in a channel (Discord: Permissions, "Permission Overwrites"). A member without roles and
 * without an id has what everybody has: the role @everyone, whose id is the server's.
 */
function allowedIn(
  guildId: string,
  roles: readonly APIRole[],
  overwrites: readonly APIOverwrite[],
  { userId, roleIds }: { readonly userId?: string; readonly roleIds: readonly string[] },
): bigint {
  const theirs = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
  const base = theirs.reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return -1n;
  const applied = (permissions: bigint, changes: readonly APIOverwrite[]) => {
    const deny = changes.reduce((all, change) => all | BigInt(change.deny), 0n);
    const allow = changes.reduce((all, change) => all | BigInt(change.allow), 0n);
    return (permissions & ~deny) | allow;
  };
  const ofRoles = overwrites.filter(({ type }) => type === OverwriteType.Role);
  return [
    ofRoles.filter(({ id }) => id === guildId),
    ofRoles.filter(({ id }) => id !== guildId && roleIds.includes(id)),
    overwrites.filter(({ id, type }) => type === OverwriteType.Member && id === userId),
  ].reduce(applied, base);
}

/** The bot does not see the channel; its server's own list of channels has it all the same. */
export class HiddenChannelError extends MessengerError {
  readonly inspection: ChannelInspection;

  constructor(inspection: ChannelInspection, cause: unknown) {
    super("forbidden", cause);
    this.inspection = inspection;
  }
}

interface Found {
  readonly channel:
    | Awaited<ReturnType<API["channels"]["get"]>>
    | Awaited<ReturnType<API["guilds"]["getChannels"]>>[number];
  /** What Discord said where it did not show the channel to the bot. */
  readonly refusal?: unknown;
}

async function find(api: API, { guildId, channelId }: InspectionTarget): Promise<Found> {
  try {
    return { channel: await api.channels.get(channelId) };
  } catch (refusal) {
    if (failureOf(refusal) !== "forbidden") throw refusal;
    const channel = (await api.guilds.getChannels(guildId)).find(({ id }) => id === channelId);
    if (channel === undefined) throw refusal;
    return { channel, refusal };
  }
}

/**
 * Three requests, together, and one more where the bot does not see the channel. Throws a `MessengerError`:
 * "channel_gone", or "forbidden", as a {@link HiddenChannelError} where it is known what is missing.
 */
export async function inspectChannel(api: API, botId: string, at: InspectionTarget): Promise<ChannelInspection> {
  const { guildId, roleId, userId, roleIds } = at;
  const [{ channel, refusal }, roles, bot] = await Promise.all([
    find(api, at),
    api.guilds.getRoles(guildId),
    // Without it nothing is known to be missing; Discord refuses in the end.
    api.guilds.getMember(guildId, botId).catch(() => undefined),
  ]).catch((error: unknown) => {
    throw new MessengerError(failureOf(error), error);
  });
  const overwrites = "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [];
  const allowed = (who: { readonly userId?: string; readonly roleIds: readonly string[] }) =>
    allowedIn(guildId, roles, overwrites, who);
  const ofBot = bot === undefined ? -1n : allowed({ userId: botId, roleIds: bot.roles });
  const missing = neededPermissions.filter((name) => (ofBot & PermissionFlagsBits[name]) === 0n);
  // A channel that is shown to the bot is one that it may view, whatever its roles seem to say.
  const isKnown = refusal !== undefined || !missing.includes("ViewChannel");
  const theirs = allowed({ userId, roleIds });
  const role = roles.find(({ id }) => id === roleId);
  const isText = channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement;
  const inspection: ChannelInspection = {
    // Messages with people have no server; that of a server's channel may be left out where it is clear.
    isOwn: "guild_id" in channel && channel.guild_id !== undefined ? channel.guild_id === guildId : isText,
    isText,
    missing: isKnown ? missing : [],
    ...((ofBot & PermissionFlagsBits.AttachFiles) === 0n ? { lacksFiles: true } : {}),
    isPublic: (allowed({ roleIds: [] }) & PermissionFlagsBits.ViewChannel) !== 0n,
    canWrite: (theirs & seeAndWrite) === seeAndWrite,
    role: role && {
      isMentionable: role.mentionable,
      rings: role.mentionable || (ofBot & PermissionFlagsBits.MentionEveryone) !== 0n,
      canMention: (theirs & PermissionFlagsBits.MentionEveryone) !== 0n,
    },
  };
  if (refusal === undefined) return inspection;
  throw inspection.missing.includes("ViewChannel")
    ? new HiddenChannelError(inspection, refusal)
    : new MessengerError("forbidden", refusal);
}
