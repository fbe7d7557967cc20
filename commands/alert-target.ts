import { withDeadline } from "../src/basics/limits/deadline.ts";
import { type Caller, isManager } from "../src/discord/commands/caller.ts";
import type { ChannelInspection } from "../src/discord/commands/inspect-channel.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { problemOf } from "../src/discord/interactions/problem-of.ts";
import type { Guild } from "../src/guilds/guild.ts";
import { MessengerError } from "../src/outbox/messenger.ts";
import { blocksChannel } from "../src/outbox/notices.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { type ChannelProblems, isChannelClosed } from "../src/views/settings/set-up.ts";

/**
 * If everybody could read customers' data in the channel, and the caller lacks Manage Server, throws a `ProblemError`.
 * `isPublic` is undefined if Discord did not answer. Then the channel counts as public.
 */
export function assertMayShowCustomers(caller: Caller, isPublic: boolean | undefined) {
  if (isPublic === false || isManager(caller)) return;
  throw new ProblemError({ code: isPublic ? "public_not_theirs" : "discord_silent" });
}

/** A deleted role cannot be mentioned. */
export const mayMention = (caller: Caller, role: ChannelInspection["role"]): boolean =>
  role !== undefined && (role.isMentionable || role.canMention || isManager(caller));

export interface AlertTarget {
  readonly channelId: string;
  readonly roleId?: string | undefined;
  readonly staffRoleId?: string | undefined;
}

/**
 * Undefined if Discord does not answer. Throws a `MessengerError` if Discord refuses, or if the channel is gone. Throws a
 * `ProblemError` ("cooldown") after too many looks at channels that the bot cannot see (refused-attempts.ts).
 */
export async function tryInspect(
  caller: Caller,
  services: Services,
  target: AlertTarget,
): Promise<ChannelInspection | undefined> {
  const { guildId, userId, roleIds } = caller;
  const inspect = () => services.inspectChannel({ guildId, userId, roleIds, ...target });
  try {
    return await services.attempts(caller, inspect, ({ missing }) => missing.includes("ViewChannel"));
  } catch (error) {
    if (!(error instanceof MessengerError) || blocksChannel(error.code)) throw error;
    return undefined;
  }
}

/** As {@link tryInspect}, but throws "discord_silent" if Discord does not answer and the caller lacks Manage Server. */
export async function requireInspection(
  caller: Caller,
  services: Services,
  target: AlertTarget,
): Promise<ChannelInspection | undefined> {
  const inspection = await tryInspect(caller, services, target);
  if (!inspection && !isManager(caller)) throw new ProblemError({ code: "discord_silent" });
  return inspection;
}

export const showsCustomersIn = ({ settings }: Guild): boolean => settings.privacy !== "none";

interface TargetUse extends AlertTarget {
  /**
   * "named": the person named the role now. "carried": the role was set before, and would now be mentioned in another channel
   * or more often. Undefined: nothing changes about the role.
   */
  readonly role: "named" | "carried" | undefined;
  /** Whether customers appear in the channel if the server's privacy setting allows it. */
  readonly showsCustomers: boolean;
}

/** Throws a `ProblemError` if the caller asks the bot for something that the caller may not do in Discord. */
export function assertMayTarget(
  caller: Caller,
  { isOwn, canWrite, isPublic, role }: ChannelInspection,
  guild: Guild,
  use: TargetUse,
) {
  if (!isOwn) throw new ProblemError({ code: "foreign_channel" });
  if (!canWrite && !isManager(caller)) throw new ProblemError({ code: "channel_not_theirs" });
  if (use.role === "named" && !role) throw new ProblemError({ code: "foreign_role" });
  if (use.role && role && !mayMention(caller, role)) throw new ProblemError({ code: "role_not_theirs" });
  if (!use.showsCustomers || !showsCustomersIn(guild)) return;
  assertMayShowCustomers(caller, isPublic);
  // A role may let most members read a channel that is not public. So without Manage Server, a person may show customers only
  // in the present alert channel.
  const isMoved = use.channelId !== guild.alerts?.channelId;
  if (isMoved && !isManager(caller)) throw new ProblemError({ code: "customers_not_theirs" });
}

/** Throws a `ProblemError` ("alerts_off" or "not_connected") if alerts are off. */
export function alertsOf({ alerts, token }: Guild): NonNullable<Guild["alerts"]> {
  if (alerts === undefined) throw new ProblemError({ code: token === undefined ? "not_connected" : "alerts_off" });
  return alerts;
}

/** Throws a `ProblemError` ("forbidden") if the bot cannot post in the channel. */
export function assertOpen(problems: ChannelProblems) {
  if (!isChannelClosed(problems)) return;
  throw new ProblemError({ code: "forbidden", missing: problems.missing });
}

/** `inspection` is undefined if Discord did not answer. Then the channel counts as public. `roleId` is the inspected role. */
export function channelProblemsOf(
  inspection: ChannelInspection | undefined,
  guild: Guild,
  roleId: string | undefined,
): ChannelProblems {
  const isGone = roleId !== undefined && inspection !== undefined && inspection.role === undefined;
  return {
    missing: inspection?.missing ?? [],
    roleProblem: isGone ? "gone" : inspection?.role?.rings === false ? "silent" : undefined,
    lacksStaffRole: inspection?.lacksStaffRole,
    showsCustomers: (inspection?.isPublic ?? true) && showsCustomersIn(guild),
  };
}

/** Short, because people ask for the status especially when Discord is slow. */
const statusLookMs = 2_000;

/** Undefined if alerts are off, or if Discord does not answer within 2 s. If Discord refuses, `failure` says so. */
export async function alertProblemsOf(
  caller: Caller,
  services: Services,
  guild: Guild,
): Promise<ChannelProblems | undefined> {
  const { alerts, settings } = guild;
  if (!alerts) return undefined;
  const { channelId, roleId } = alerts;
  const { staffRoleId } = settings;
  const looking = tryInspect(caller, services, { channelId, roleId, staffRoleId }).then(
    (look) => look && channelProblemsOf(look, guild, roleId),
    (error: unknown) => ({ missing: [], failure: problemOf(error), showsCustomers: false }),
  );
  return withDeadline(looking, statusLookMs, undefined);
}

/** `look` is undefined if Discord does not answer and the caller has Manage Server. */
export async function inspectFor(caller: Caller, services: Services, guild: Guild, use: TargetUse) {
  const look = await requireInspection(caller, services, { channelId: use.channelId, roleId: use.roleId });
  if (look) assertMayTarget(caller, look, guild, use);
  return { look, problems: channelProblemsOf(look, guild, use.roleId) };
}
