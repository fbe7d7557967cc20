import type { APIGuildApplicationCommandPermissions } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { BoundedMap } from "../../basics/bounded-map.ts";
import { withDeadline } from "../../basics/deadline.ts";

/** A server's integration settings: entries of the application, and of each command that has its own. */
export type Overrides = readonly APIGuildApplicationCommandPermissions[];

/** Discord says when they change; this is for when that was missed. */
const goodForMs = 60_000;
/** After a lost connection or a 5xx. A change of the settings does not make another try before that, either. */
const failedForMs = 10_000;
/** After a 403 or 404: Discord bans an address for too many. */
const refusedForMs = 300_000;
/** A first answer is due within 3 s: after this wait it is decided without them. */
const longestWaitMs = 1_500;
/**
 * Settings that were good at the last look-up hold for so long where the next one fails or is late: they are more often
 * right than none, and Discord says when they change.
 */
const lastKnownForMs = 600_000;
/** Servers of which something is kept; the oldest look-up goes. They are some 100 bytes an entry. */
const mostKept = 5_000;

/** Looks up integration settings, and keeps the results. */
export interface OverridesCache {
  /** When they cannot be read, or not in time, those of the last 10 minutes; undefined where there are none. */
  of(guildId: string): Promise<Overrides | undefined>;
  /** They changed. */
  forget(guildId: string): void;
}

/** Times are monotonic ms. */
interface CachedOverrides {
  /** As they were at `readAt`. */
  overrides: Overrides | undefined;
  readAt: number;
  failedAt: number;
  /** When they are looked up again. */
  nextAt: number;
  /** The look-up under way, which all who ask share. */
  lookUp: Promise<void> | undefined;
}

const isRefusal = (error: unknown) =>
  error instanceof DiscordAPIError && (error.status === 403 || error.status === 404);

/** The denying entries alone. */
export const denialsOf = (overrides: Overrides): Overrides =>
  overrides.map((level) => ({ ...level, permissions: level.permissions.filter(({ permission }) => !permission) }));

/**
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
        // What was asked for before a change may be what held before it.
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
      // A member who was barred stays barred until it is known otherwise; one who was allowed may not be any more.
      cached.overrides = cached.overrides && denialsOf(cached.overrides);
      cached.lookUp = undefined;
      cached.nextAt = Math.max(now(), cached.failedAt + failedForMs);
    },
  };
}
