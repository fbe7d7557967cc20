import type { APIGuildApplicationCommandPermissions } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { BoundedMap } from "../../basics/bounded-map.ts";
import { withDeadline } from "../../basics/deadline.ts";

/** A server's integration settings: the application's entries, and those of each command with its own. */
export type Overrides = readonly APIGuildApplicationCommandPermissions[];

/** How long settings are kept. Discord announces changes; this is for a missed announcement. */
const goodForMs = 60_000;
/** Wait after a lost connection or a 5xx, also if the settings change. */
const failedForMs = 10_000;
/** Wait after a 403 or 404, because Discord bans an address with too many of them. */
const refusedForMs = 300_000;
/** Longest wait for a look-up. The first answer is due within 3 s. */
const longestWaitMs = 1_500;
/**
 * Settings of the last successful look-up apply for so long if the next one fails or is late. They are more often right
 * than no settings, and Discord announces changes.
 */
const lastKnownForMs = 600_000;
/** Servers that are kept, some 100 bytes for each entry of theirs. Beyond the limit the oldest look-up goes. */
const mostKept = 5_000;

/** Looks up integration settings, and keeps them. */
export interface OverridesCache {
  /** The server's settings. If they cannot be read in time, those of the last 10 minutes; undefined without any. */
  of(guildId: string): Promise<Overrides | undefined>;
  /** The server's settings changed. */
  forget(guildId: string): void;
}

/** Times are monotonic ms. */
interface CachedOverrides {
  /** The settings as they were at `readAt`. */
  overrides: Overrides | undefined;
  readAt: number;
  failedAt: number;
  /** When the settings are due to be looked up again. */
  nextAt: number;
  /** The look-up under way, shared by all callers. */
  lookUp: Promise<void> | undefined;
}

const isRefusal = (error: unknown) =>
  error instanceof DiscordAPIError && (error.status === 403 || error.status === 404);

/** The entries that deny. */
export const denialsOf = (overrides: Overrides): Overrides =>
  overrides.map((level) => ({ ...level, permissions: level.permissions.filter(({ permission }) => !permission) }));

/**
 * Keeps integration settings in memory.
 *
 * @param fetchOverrides Discord: Get Guild Application Command Permissions
 * @param now a monotonic clock, in ms
 */
export function createOverridesCache(
  fetchOverrides: (guildId: string) => Promise<Overrides>,
  now: () => number,
): OverridesCache {
  const cache = new BoundedMap<string, CachedOverrides>(mostKept);
  const never = Number.NEGATIVE_INFINITY;

  function startLookUp(guildId: string, cached: CachedOverrides): void {
    const startedAt = now();
    cache.set(guildId, cached);
    const lookUp = fetchOverrides(guildId).then(
      (overrides) => {
        // A look-up that began before a change may return the old settings.
        if (cached.lookUp === lookUp)
          Object.assign(cached, { overrides, readAt: startedAt, nextAt: startedAt + goodForMs });
      },
      (error: unknown) => {
        cached.failedAt = now();
        cached.nextAt = cached.failedAt + (isRefusal(error) ? refusedForMs : failedForMs);
      },
    );
    cached.lookUp = lookUp;
    void lookUp.then(() => {
      if (cached.lookUp === lookUp) cached.lookUp = undefined;
    });
  }

  return {
    async of(guildId) {
      const cached = cache.get(guildId) ?? {
        overrides: undefined,
        readAt: never,
        failedAt: never,
        nextAt: never,
        lookUp: undefined,
      };
      if (!cached.lookUp && now() >= cached.nextAt) startLookUp(guildId, cached);
      if (cached.lookUp) await withDeadline(cached.lookUp, longestWaitMs, undefined);
      return now() - cached.readAt < lastKnownForMs ? cached.overrides : undefined;
    },
    forget(guildId) {
      const cached = cache.get(guildId);
      if (!cached) return;
      // A denied member stays denied until the new settings are read. An allowed member may not be allowed any more.
      cached.overrides = cached.overrides && denialsOf(cached.overrides);
      cached.lookUp = undefined;
      cached.nextAt = Math.max(now(), cached.failedAt + failedForMs);
    },
  };
}
