import type { Locale } from "../../basics/locale.ts";
import type { Guild } from "../../guilds/guild.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { blocksChannel } from "../../outbox/notices.ts";
import { ProblemError, permissionNames } from "../../views/parts/problem.ts";
import { type ChannelProblems, isChannelClosed } from "../../views/settings/set-up.ts";
import type { Attempts } from "./attempts.ts";
import { type Caller, isManager } from "./caller.ts";
import { type ChannelInspection, HiddenChannelError, type InspectionTarget } from "./inspect-channel.ts";

/**
 * Only those with Manage Server decide that customers are shown where everybody can read; `isPublic` is undefined where
 * Discord does not say. Throws a `ProblemError`.
 */
export function assertMayShowCustomers(caller: Caller, isPublic: boolean | undefined) {
  if (isPublic === false || isManager(caller)) return;
  throw new ProblemError({ code: isPublic ? "public_not_theirs" : "discord_silent" });
}

/** Whether the caller may mention the role that was inspected; a role that is gone cannot be mentioned. */
export const mayMention = (caller: Caller, role: ChannelInspection["role"]): boolean =>
  role !== undefined && (role.isMentionable || role.canMention || isManager(caller));

/** What it takes to inspect a channel. */
interface Inspector {
  /** What Discord shows of a channel and of a role to be mentioned there. Throws `MessengerError`. */
  inspectChannel(at: InspectionTarget): Promise<ChannelInspection>;
  /** For what Discord may refuse. */
  readonly attempts: Attempts;
}

/** Where alerts are to go, and whom they mention. */
export interface AlertTarget {
  readonly channelId: string;
  readonly roleId?: string | undefined;
}

/**
 * What Discord shows of the target, also where the bot cannot see the channel; undefined where Discord does not say. Counts
 * as an attempt where Discord refused.
 */
export async function tryInspect(
  caller: Caller,
  inspector: Inspector,
  target: AlertTarget,
): Promise<ChannelInspection | undefined> {
  const { guildId, userId, roleIds } = caller;
  try {
    return await inspector.attempts(caller, () => inspector.inspectChannel({ guildId, userId, roleIds, ...target }));
  } catch (error) {
    if (error instanceof HiddenChannelError) return error.inspection;
    if (!(error instanceof MessengerError) || blocksChannel(error.code)) throw error;
    return undefined;
  }
}

/** As {@link tryInspect}; where Discord does not say, only those go on who may decide it anyway. */
export async function requireInspection(
  caller: Caller,
  inspector: Inspector,
  target: AlertTarget,
): Promise<ChannelInspection | undefined> {
  const inspection = await tryInspect(caller, inspector, target);
  if (!inspection && !isManager(caller)) throw new ProblemError({ code: "discord_silent" });
  return inspection;
}

/**
 * Nobody can make the bot post, mention or show customers where the server does not let them do so themselves. Throws a
 * `ProblemError`.
 *
 * @param ask.role how the role comes there: named now, or carried along from another channel, and then it may be gone. Left out
 *   for one that stays where it is
 */
export function assertMayTarget(
  caller: Caller,
  { isOwn, canWrite, isPublic, role }: ChannelInspection,
  ask: { readonly role: "named" | "carried" | undefined; readonly showsCustomers: boolean; readonly isMoved: boolean },
) {
  if (!isOwn) throw new ProblemError({ code: "foreign_channel" });
  if (!canWrite && !isManager(caller)) throw new ProblemError({ code: "channel_not_theirs" });
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
 * What is wrong with the channel. Where Discord does not say who can read the channel, customers are shown only when
 * that is confirmed.
 */
export function channelProblemsOf(inspection: ChannelInspection | undefined, guild: Guild): ChannelProblems {
  return {
    missing: inspection?.missing ?? [],
    isRoleSilent: inspection?.role?.rings === false,
    showsCustomers: (inspection?.isPublic ?? true) && showsCustomersIn(guild),
  };
}
