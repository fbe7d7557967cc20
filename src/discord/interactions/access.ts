import { type APIApplicationCommandPermission, ApplicationCommandPermissionType } from "@discordjs/core";
import { type Caller, isManager } from "../commands/caller.ts";
import { createOverridesCache, denialsOf, type Overrides } from "./overrides.ts";

/**
 * Returns the integration settings that apply to a command. An entry of the command replaces the application's entry for the
 * same user, role or channel (Discord: Application Commands, "Permissions"). If the command's id is unknown, every entry that
 * denies a command counts.
 */
function merged(
  overrides: Overrides,
  commandId: string | undefined,
  applicationId: string,
): APIApplicationCommandPermission[] {
  const entries = new Map<string, APIApplicationCommandPermission>();
  const ofApplication = overrides.filter(({ id }) => id === applicationId);
  const ofCommand =
    commandId === undefined
      ? denialsOf(overrides.filter(({ id }) => id !== applicationId))
      : overrides.filter(({ id }) => id === commandId);
  for (const { permissions } of [...ofApplication, ...ofCommand]) {
    for (const entry of permissions) entries.set(`${entry.type} ${entry.id}`, entry);
  }
  return [...entries.values()];
}

/** Returns whether the entries allow this member, or undefined if no entry applies. */
function overrideFor(caller: Caller, permissions: readonly APIApplicationCommandPermission[]): boolean | undefined {
  const { guildId, channelId, parentId, userId, roleIds } = caller;
  const of = (type: ApplicationCommandPermissionType, ids: readonly string[]) =>
    permissions.filter((entry) => entry.type === type && ids.includes(entry.id)).map((entry) => entry.permission);

  // Discord's id for "all channels" is the server's id minus one. The id of "everyone" is the server's id.
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

/** Decides who may use a command, and therefore its buttons, menus and modals. */
export type Access = ReturnType<typeof createAccess>;

/**
 * Members with Manage Server are always allowed. Other members need the server's staff role, or an entry in the integration
 * settings that allows them. An entry that denies a member wins over the staff role. If the settings cannot be read, the
 * settings of the last 10 minutes apply. If there are none, only the staff role decides. Discord itself applies these settings
 * to slash commands, but not to buttons, menus and modals.
 *
 * @param staffRole the role that the server's settings allow, if any
 * @param fetchOverrides reads the integration settings of a server (Discord: Get Guild Application Command Permissions)
 * @param now a monotonic clock, in ms
 */
export function createAccess(deps: {
  applicationId: string;
  staffRole(guildId: string): Promise<string | undefined>;
  fetchOverrides(guildId: string): Promise<Overrides>;
  now?: () => number;
}) {
  const kept = createOverridesCache((guildId) => deps.fetchOverrides(guildId), deps.now ?? (() => performance.now()));

  return {
    /** Whether the caller may use the command. With `managersOnly`, the staff role is not enough. */
    async allows(
      caller: Caller,
      { id: commandId, managersOnly }: { readonly id: string | undefined; readonly managersOnly: boolean },
    ): Promise<boolean> {
      if (isManager(caller)) return true;
      const [overrides = [], staffRoleId] = await Promise.all([
        kept.of(caller.guildId),
        managersOnly ? undefined : deps.staffRole(caller.guildId),
      ]);
      const verdict = overrideFor(caller, merged(overrides, commandId, deps.applicationId));
      return verdict ?? (staffRoleId !== undefined && caller.roleIds.includes(staffRoleId));
    },
    /** Forgets the server's integration settings, because they changed. */
    forget: (guildId: string) => kept.forget(guildId),
  };
}
