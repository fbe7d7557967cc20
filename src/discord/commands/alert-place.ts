import type { Locale } from "../../basics/locale.ts";
import type { Guild } from "../../guilds/guild.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { blocksChannel } from "../../outbox/notices.ts";
import { ProblemError, permissionNames } from "../../views/parts/problem.ts";
import { type ChannelProblems, isChannelClosed } from "../../views/settings/set-up.ts";
import type { Attempts } from "./attempts.ts";
import { type Caller, isManager } from "./caller.ts";
import { type ChannelLook, ClosedChannelError, type LookAt } from "./channel-look.ts";

/**
 * Only those with Manage Server decide that customers are shown where everybody can read; `isPublic` is undefined where
 * Discord does not say. Throws a `ProblemError`.
 */
export function assertMayShowCustomers(caller: Caller, isPublic: boolean | undefined) {
  if (isPublic === false || isManager(caller)) return;
  throw new ProblemError({ code: isPublic ? "public_not_theirs" : "discord_silent" });
}

/** Whether somebody may mention the role that was looked at; nobody mentions one that is not there any more. */
export const mayMention = (caller: Caller, role: ChannelLook["role"]): boolean =>
  role !== undefined && (role.isMentionable || role.isTheirs || isManager(caller));

/** What looking at a channel takes. */
interface Looks {
  /** What Discord shows of a channel and of a role to be mentioned there. Throws `MessengerError`. */
  lookAt(at: LookAt): Promise<ChannelLook>;
  /** For what Discord may refuse. */
  readonly attempts: Attempts;
}

/** Where alerts are to go, and whom they mention. */
export interface AlertPlace {
  readonly channelId: string;
  readonly roleId?: string | undefined;
}

/**
 * What Discord shows of the place, also where the bot cannot see the channel; undefined where Discord does not say. Counts
 * as an attempt where Discord refused.
 */
export async function glance(caller: Caller, looks: Looks, place: AlertPlace): Promise<ChannelLook | undefined> {
  const { guildId, userId, roleIds } = caller;
  try {
    return await looks.attempts(caller, () => looks.lookAt({ guildId, userId, roleIds, ...place }));
  } catch (error) {
    if (error instanceof ClosedChannelError) return error.look;
    if (!(error instanceof MessengerError) || blocksChannel(error.code)) throw error;
    return undefined;
  }
}

/** As {@link glance}; where Discord does not say, only those go on who may decide it anyway. */
export async function lookFor(caller: Caller, looks: Looks, place: AlertPlace): Promise<ChannelLook | undefined> {
  const look = await glance(caller, looks, place);
  if (!look && !isManager(caller)) throw new ProblemError({ code: "discord_silent" });
  return look;
}

/**
 * Nobody makes the bot ring, mention or show customers where the server would not let them do so themselves.
 *
 * @param ask.role how the role that was looked at comes there: named now, or carried along from another channel, and then
 *   nobody's concern if it is gone. Left out for one that stays where it is
 */
export function assertTheirs(
  caller: Caller,
  { isOwn, isTheirs, isPublic, role }: ChannelLook,
  ask: { readonly role: "named" | "carried" | undefined; readonly showsCustomers: boolean; readonly isMoved: boolean },
) {
  if (!isOwn) throw new ProblemError({ code: "foreign_channel" });
  if (!isTheirs && !isManager(caller)) throw new ProblemError({ code: "channel_not_theirs" });
  if (ask.role === "named" && !role) throw new ProblemError({ code: "foreign_role" });
  if (ask.role && role && !mayMention(caller, role)) throw new ProblemError({ code: "role_not_theirs" });
  if (ask.showsCustomers) assertMayShowCustomers(caller, isPublic);
  // What not everybody reads may still be read by every member with some common role: that is not for staff to judge.
  if (ask.showsCustomers && ask.isMoved && !isManager(caller)) throw new ProblemError({ code: "customers_not_theirs" });
}

export const showsCustomersIn = ({ settings }: Guild): boolean => settings.privacy !== "none";

/** What alerts are set to. Throws a `ProblemError` ("alerts_off"). */
export function alertsOf({ alerts }: Guild): NonNullable<Guild["alerts"]> {
  if (alerts === undefined) throw new ProblemError({ code: "alerts_off" });
  return alerts;
}

/** Throws a `ProblemError` ("forbidden") that names what the bot lacks where it could post nothing. */
export function assertOpen(problems: ChannelProblems, locale: Locale) {
  if (!isChannelClosed(problems)) return;
  throw new ProblemError({ code: "forbidden", permissions: permissionNames(problems.missing, locale) });
}

/**
 * What the look shows to be in the way. Where Discord does not say who can read the channel, customers are shown only when
 * that is confirmed.
 */
export function channelProblemsOf(look: ChannelLook | undefined, guild: Guild): ChannelProblems {
  return {
    missing: look?.missing ?? [],
    isRoleSilent: look?.role?.rings === false,
    showsCustomers: (look?.isPublic ?? true) && showsCustomersIn(guild),
  };
}
