import {
  type APIApplicationCommandPermission,
  type APIGuildApplicationCommandPermissions,
  ApplicationCommandPermissionType,
} from "@discordjs/core";
import { BoundedMap } from "../../basics/limits/bounded-map.ts";
import { withDeadline } from "../../basics/limits/deadline.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import { type Caller, isManager } from "../commands/caller.ts";

/**
 * A server's integration settings, of the application and each command. An entry allows or denies a user, a role or a channel.
 */
export type Overrides = readonly APIGuildApplicationCommandPermissions[];

/** Settings are read again after this time, because the process may have missed the announcement of a change. */
const goodForMs = 60_000;
/** After a failed look-up, the next look-up waits this long, even if Discord announces a change. */
const failedForMs = 30_000;
/** Longest time that an interaction waits for a look-up. The first answer is due within 3 s. */
const longestWaitMs = 1_500;
/** If a look-up fails or is late, the settings of the last successful look-up apply for this long. */
const lastKnownForMs = 600_000;
/** The settings of at most this many servers are in memory. Those of one server usually take about 100 bytes. */
const mostKept = 5_000;

/** Times are monotonic ms. */
interface CachedOverrides {
  overrides: Overrides | undefined;
  readAt: number;
  goodUntil: number;
  failedAt: number;
  lookUp: Promise<void> | undefined;
}

const denialsOf = (overrides: Overrides): Overrides =>
  overrides.map((level) => ({ ...level, permissions: level.permissions.filter(({ permission }) => !permission) }));

function createOverridesCache(fetchOverrides: (guildId: string) => Promise<Overrides>, now: () => number) {
  const cache = new BoundedMap<string, CachedOverrides>(mostKept);
  const never = Number.NEGATIVE_INFINITY;

  function startLookUp(guildId: string, cached: CachedOverrides): void {
    const startedAt = now();
    cache.set(guildId, cached);
    const lookUp = fetchOverrides(guildId).then(
      (overrides) => {
        // A look-up that began before a change may return the old settings.
        if (cached.lookUp === lookUp)
          Object.assign(cached, { overrides, readAt: startedAt, goodUntil: startedAt + goodForMs });
      },
      () => {
        cached.failedAt = now();
      },
    );
    cached.lookUp = lookUp;
    void lookUp.then(() => {
      if (cached.lookUp === lookUp) cached.lookUp = undefined;
    });
  }

  return {
    /** If the settings cannot be read in time, returns settings that were read in the last 10 minutes, or undefined. */
    async of(guildId: string): Promise<Overrides | undefined> {
      const cached = cache.get(guildId) ?? {
        overrides: undefined,
        readAt: never,
        goodUntil: never,
        failedAt: never,
        lookUp: undefined,
      };
      const isDue = now() >= Math.max(cached.goodUntil, cached.failedAt + failedForMs);
      if (isDue && !cached.lookUp) startLookUp(guildId, cached);
      if (cached.lookUp) await withDeadline(cached.lookUp, longestWaitMs, undefined);
      return now() - cached.readAt < lastKnownForMs ? cached.overrides : undefined;
    },
    forget(guildId: string): void {
      const cached = cache.get(guildId);
      if (!cached) return;
      // Until the new settings are read, a denied member stays denied. An entry that allows may be old, so it does not count.
      cached.overrides = cached.overrides && denialsOf(cached.overrides);
      cached.lookUp = undefined;
      cached.goodUntil = never;
    },
  };
}

/**
 * An entry of the command replaces the application's entry for the same user, role or channel (Discord: Application Commands,
 * "Permissions"). If the command's id is unknown, the denials of all the bot's commands count.
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

/** Undefined if no entry applies. */
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

export type Access = ReturnType<typeof createAccess>;

/**
 * Decides who may use a command, with its buttons, menus and windows. For buttons, menus and windows, Discord does not check
 * the integration settings. Members with Manage Server are always allowed. Others need an entry that allows them, or the
 * server's staff role. An entry that denies a member wins over the staff role. If no settings are known, only the staff role
 * decides. `now` is a monotonic clock, in ms.
 */
export function createAccess(deps: {
  applicationId: string;
  staffRole(guildId: string): Promise<string | undefined>;
  fetchOverrides(guildId: string): Promise<Overrides>;
  now?: () => number;
}) {
  const kept = createOverridesCache((guildId) => deps.fetchOverrides(guildId), deps.now ?? (() => performance.now()));

  return {
    /** Throws a `ProblemError` if the caller may not use the command. With `managersOnly`, the staff role is not enough. */
    async assertAllowed(
      caller: Caller,
      { id: commandId, managersOnly }: { readonly id: string | undefined; readonly managersOnly: boolean },
    ): Promise<void> {
      if (isManager(caller)) return;
      const [overrides = [], staffRoleId] = await Promise.all([
        kept.of(caller.guildId),
        managersOnly ? undefined : deps.staffRole(caller.guildId),
      ]);
      const verdict = overrideFor(caller, merged(overrides, commandId, deps.applicationId));
      const isAllowed = verdict ?? (staffRoleId !== undefined && caller.roleIds.includes(staffRoleId));
      if (!isAllowed) throw new ProblemError({ code: managersOnly ? "managers_only" : "not_allowed" });
    },
    forget: kept.forget,
  };
}
