import type { APIGuildApplicationCommandPermissions } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { createCache } from "../../basics/cache.ts";
import { withDeadline } from "../../basics/deadline.ts";

/** A server's integration settings: entries of the application, and of each command that has its own. */
export type Overrides = readonly APIGuildApplicationCommandPermissions[];

/** Discord says when they change; this is for when that was missed. */
const goodForMs = 60_000;
/** After a lost connection or a 5xx. */
const failedForMs = 10_000;
/** Doubles from here after each 403 or 404 in a row: Discord bans an address for too many. */
const refusedForMs = 60_000;
const longestRefusedMs = 600_000;
/** A change makes a failed look-up worth another try, but not each of many changes. */
const forgivenEveryMs = 10_000;
/** A first answer is due within 3 s: whoever waits longer is told without them. */
const longestWaitMs = 1_500;
/**
 * Settings that were good at the last look-up hold for so long where the next one fails or is late: they are more often
 * right than none, and what changes them is told.
 */
const lastKnownForMs = 600_000;
/** Servers whose settings, and whose failures, are kept; the oldest look-up goes. They are some 100 bytes an entry. */
const mostKept = 5_000;

/** Looks up integration settings, and keeps what came of it. */
export interface KeptOverrides {
  /** When they cannot be read, or not in time, those of the last 10 minutes; undefined where there are none. */
  of(guildId: string): Promise<Overrides | undefined>;
  /** They changed. */
  forget(guildId: string): void;
}

/** Times are monotonic ms. */
interface Failure {
  readonly until: number;
  /** Answers of 403 or 404 in a row. */
  readonly refusals: number;
  readonly forgivenAt: number;
}

const isRefusal = (error: unknown) =>
  error instanceof DiscordAPIError && (error.status === 403 || error.status === 404);

/** The first ones were put in first, and so are the first to end. */
function put<T extends { readonly until: number }>(
  kept: Map<string, T>,
  guildId: string,
  value: T,
  endsBefore: number,
) {
  kept.delete(guildId);
  kept.set(guildId, value);
  for (const [id, { until }] of kept) {
    if (kept.size <= mostKept && until >= endsBefore) break;
    kept.delete(id);
  }
}

const denialsOf = (overrides: Overrides): Overrides =>
  overrides.map((level) => ({ ...level, permissions: level.permissions.filter(({ permission }) => !permission) }));

/**
 * Many who ask at once share one look-up. What failed is not tried again for a while, either.
 *
 * @param fetchOverrides Discord: Get Guild Application Command Permissions
 * @param now a clock that nobody sets, in ms
 */
export function createKeptOverrides(
  fetchOverrides: (guildId: string) => Promise<Overrides>,
  now: () => number,
): KeptOverrides {
  const good = createCache<Overrides>({ keptMs: goodForMs, most: mostKept }, now);
  const lastKnown = new Map<string, { readonly until: number; readonly overrides: Overrides }>();
  const failures = new Map<string, Failure>();

  function known(guildId: string): Overrides | undefined {
    const last = lastKnown.get(guildId);
    return last && last.until > now() ? last.overrides : undefined;
  }

  function failed(guildId: string, error: unknown): void {
    const before = failures.get(guildId);
    const refusals = isRefusal(error) ? (before?.refusals ?? 0) + 1 : 0;
    const forMs =
      refusals > 0 ? Math.min(refusedForMs * 2 ** Math.min(refusals - 1, 10), longestRefusedMs) : failedForMs;
    const forgivenAt = before?.forgivenAt ?? Number.NEGATIVE_INFINITY;
    // For as long again it is known how many there were before it.
    put(failures, guildId, { until: now() + forMs, refusals, forgivenAt }, now() - longestRefusedMs);
  }

  /** Undefined when they cannot be read. */
  async function lookUp(guildId: string): Promise<Overrides | undefined> {
    const read = async (isKept: () => boolean) => {
      try {
        const overrides = await fetchOverrides(guildId);
        failures.delete(guildId);
        // What was asked for before a change may be what held before it.
        if (isKept()) put(lastKnown, guildId, { until: now() + lastKnownForMs, overrides }, now());
        return overrides;
      } catch (error) {
        failed(guildId, error);
        throw error;
      }
    };
    return good.get(guildId, read).catch(() => undefined);
  }

  return {
    async of(guildId) {
      if ((failures.get(guildId)?.until ?? 0) > now()) return known(guildId);
      return (await withDeadline(lookUp(guildId), longestWaitMs, undefined)) ?? known(guildId);
    },
    forget(guildId) {
      good.forget(guildId);
      // Whom they barred stays barred until it is known otherwise; whom they allowed may not be any more.
      const last = lastKnown.get(guildId);
      if (last) lastKnown.set(guildId, { ...last, overrides: denialsOf(last.overrides) });
      const failure = failures.get(guildId);
      if (failure && now() - failure.forgivenAt >= forgivenEveryMs) {
        failures.set(guildId, { ...failure, until: now(), forgivenAt: now() });
      }
    },
  };
}
