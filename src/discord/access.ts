import {
  type APIApplicationCommandPermission,
  type APIGuildApplicationCommandPermissions,
  ApplicationCommandPermissionType,
  PermissionFlagsBits,
} from "@discordjs/core";
import type { Caller } from "./define-command.ts";

const managers = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;
const overridesKeptMs = 60_000;

/** Decides who may use a command, and therefore its buttons, menus and modals. */
export interface Access {
  /** `isForStaff` false: the staff role does not count for this command. */
  allows(caller: Caller, command: { readonly id: string | undefined; readonly isForStaff: boolean }): Promise<boolean>;
  /** The server's integration settings changed: what is known of them does not count any more. */
  forget(guildId: string): void;
}

/** What a server's own integration settings say of this member; `undefined` when they say nothing. */
export function overrideFor(
  caller: Caller,
  permissions: readonly APIApplicationCommandPermission[],
): boolean | undefined {
  const { guildId, channelId, userId, roleIds } = caller;
  const of = (type: ApplicationCommandPermissionType, ids: readonly string[]) =>
    permissions.filter((entry) => entry.type === type && ids.includes(entry.id)).map((entry) => entry.permission);

  // Discord's constant for "all channels" is the server's id minus one; "everyone" is the server's id.
  const [channel] = of(ApplicationCommandPermissionType.Channel, [channelId]);
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
 * Members with Manage Server may; others only through the server's staff role or its integration settings. Discord
 * applies these settings to slash commands itself, but not to buttons, menus and modals.
 *
 * @param staffRole the role that the owner allowed, if any
 * @param fetchOverrides the integration settings of a server (Discord: Get Guild Application Command Permissions)
 */
export function createAccess(deps: {
  applicationId: string;
  staffRole(guildId: string): Promise<string | undefined>;
  fetchOverrides(guildId: string): Promise<readonly APIGuildApplicationCommandPermissions[]>;
  now?: () => number;
}): Access {
  const now = deps.now ?? (() => performance.now());
  const kept = new Map<
    string,
    { until: number; overrides: Promise<readonly APIGuildApplicationCommandPermissions[]> }
  >();

  function overridesOf(guildId: string) {
    for (const [id, entry] of kept) if (entry.until <= now()) kept.delete(id);
    const known = kept.get(guildId);
    if (known) return known.overrides;
    const overrides = deps.fetchOverrides(guildId);
    kept.set(guildId, { until: now() + overridesKeptMs, overrides });
    overrides.catch(() => {
      if (kept.get(guildId)?.overrides === overrides) kept.delete(guildId);
    });
    return overrides;
  }

  return {
    async allows(caller, { id: commandId, isForStaff }) {
      if ((caller.permissions & managers) !== 0n) return true;
      const staffRoleId = isForStaff ? await deps.staffRole(caller.guildId) : undefined;
      if (staffRoleId && caller.roleIds.includes(staffRoleId)) return true;
      const overrides = await overridesOf(caller.guildId).catch(() => []);
      const applies =
        overrides.find(({ id }) => id === commandId) ?? overrides.find(({ id }) => id === deps.applicationId);
      return applies ? overrideFor(caller, applies.permissions) === true : false;
    },
    forget: (guildId) => void kept.delete(guildId),
  };
}
