import { type APIApplicationCommandPermission, ApplicationCommandPermissionType } from "@discordjs/core";
import type { Log } from "../../basics/log.ts";
import { type Caller, isManager } from "../commands/caller.ts";
import { createOverridesCache, type Overrides } from "./overrides.ts";

/** "unknown": it is not known whether the owner has closed the command to this person. */
export type Verdict = "allowed" | "denied" | "unknown";

/** Decides who may use a command, and therefore its buttons, menus and modals. */
export interface Access {
  /** `id` as Discord has the command, undefined while that is not known; `isForStaff` false: the staff role does not count for it. */
  check(caller: Caller, command: { readonly id: string | undefined; readonly isForStaff: boolean }): Promise<Verdict>;
  /** The server's integration settings changed: what is known of them does not count any more. */
  forget(guildId: string): void;
}

/**
 * What holds for a command: the entries of the application, of which the command's own entry for the same user, role or
 * channel takes the place (Discord: Application Commands, "Permissions"). Undefined where some command has entries of its own, and
 * the id of this one is not known.
 */
export function merged(
  overrides: Overrides,
  commandId: string | undefined,
  applicationId: string,
): APIApplicationCommandPermission[] | undefined {
  if (commandId === undefined && overrides.some(({ id }) => id !== applicationId)) return undefined;
  const entries = new Map<string, APIApplicationCommandPermission>();
  for (const level of [applicationId, commandId]) {
    const { permissions = [] } = overrides.find(({ id }) => id === level) ?? {};
    for (const entry of permissions) entries.set(`${entry.type} ${entry.id}`, entry);
  }
  return [...entries.values()];
}

/** What these entries say of this member; `undefined` when they say nothing. */
export function overrideFor(
  caller: Caller,
  permissions: readonly APIApplicationCommandPermission[],
): boolean | undefined {
  const { guildId, channelId, parentId, userId, roleIds } = caller;
  const of = (type: ApplicationCommandPermissionType, ids: readonly string[]) =>
    permissions.filter((entry) => entry.type === type && ids.includes(entry.id)).map((entry) => entry.permission);

  // Discord's constant for "all channels" is the server's id minus one; "everyone" is the server's id.
  const [channel] = of(ApplicationCommandPermissionType.Channel, [parentId ?? channelId]);
  const [allChannels] = of(ApplicationCommandPermissionType.Channel, [String(BigInt(guildId) - 1n)]);
  if ((channel ?? allChannels) === false) return false;

  const [user] = of(ApplicationCommandPermissionType.User, [userId]);
  if (user !== undefined) return user;
  const roles = of(ApplicationCommandPermissionType.Role, roleIds);
  if (roles.length > 0) return roles.includes(true);
  const [everyone] = of(ApplicationCommandPermissionType.Role, [guildId]);
  return everyone;
}

/**
 * Members with Manage Server may; others only through the server's staff role or an allowing entry of its integration
 * settings, be it of the application or of the command. A denying entry refuses holders of the staff role, too. Where the
 * settings cannot be read, those of the last 10 minutes count, and without any no member is let in but by Manage Server. Discord
 * applies these settings to slash commands itself, but not to buttons, menus and modals.
 *
 * @param staffRole the role that the owner allowed, if any
 * @param fetchOverrides the integration settings of a server (Discord: Get Guild Application Command Permissions)
 * @param now a monotonic clock, in ms
 */
export function createAccess(deps: {
  applicationId: string;
  staffRole(guildId: string): Promise<string | undefined>;
  fetchOverrides(guildId: string): Promise<Overrides>;
  log: Log;
  now?: () => number;
}): Access {
  const { applicationId, log, now = () => performance.now() } = deps;
  const kept = createOverridesCache((guildId) => deps.fetchOverrides(guildId), log, now);

  return {
    async check(caller, { id: commandId, isForStaff }) {
      if (isManager(caller)) return "allowed";
      const [overrides, staffRoleId] = await Promise.all([
        kept.of(caller.guildId),
        isForStaff ? deps.staffRole(caller.guildId) : undefined,
      ]);
      const entries = overrides && merged(overrides, commandId, applicationId);
      if (entries === undefined) return "unknown";
      const isStaff = staffRoleId !== undefined && caller.roleIds.includes(staffRoleId);
      return (overrideFor(caller, entries) ?? isStaff) ? "allowed" : "denied";
    },
    forget: (guildId) => kept.forget(guildId),
  };
}
