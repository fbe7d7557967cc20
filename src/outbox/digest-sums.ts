import { createConcurrencyLimit } from "../basics/limits/concurrency-limit.ts";
import type { Stats } from "../basics/stats.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { RowOf } from "../orders/outbox-row.ts";
import { statsOf } from "../reports/stats-of.ts";
import { createStoredSums } from "../reports/stored-sums.ts";
import type { Storage } from "../storage/table.ts";
import type { Store } from "../store-api/store-api.ts";
import { digestSpan, digestZone } from "./digest-due.ts";

/** At most this many digests are read at once: most of a process's 512 connections to stores are for polls and people. */
const mostAtOnce = 8;
/** A digest that takes longer no longer counts for {@link mostAtOnce}. Reading 50,000 orders takes some 2 minutes. */
const longestMs = 5 * 60_000;

/**
 * Returns the sums of a digest. Awaits `throttle` before each request. Rejects with `StoreError`, `StorageError` or the reason
 * of `signal`.
 */
export type DigestSums = (
  guild: Guild,
  digest: Pick<RowOf<"digest">, "every" | "day">,
  how: { readonly store: Store; throttle(): Promise<void>; readonly signal: AbortSignal },
) => Promise<Stats>;

export function createDigestSums(deps: {
  readonly storage: Storage;
  readonly guilds: Pick<Guilds, "mayKeep">;
  readonly now: () => number;
}): DigestSums {
  const { storage, guilds, now } = deps;
  const limit = createConcurrencyLimit(mostAtOnce, longestMs);
  const storedSums = createStoredSums({ storage, mayKeep: guilds.mayKeep, now });
  return async (guild, { every, day }, { store, throttle, signal }) => {
    const leave = await limit.take(false, signal);
    try {
      signal.throwIfAborted();
      const of = { guildId: guild.id, store: String(guild.token?.since), zone: digestZone(guild) };
      return await statsOf(of, digestSpan(every, day), {
        storedSums,
        now,
        run: (reading) => reading(signal),
        async read(page, size) {
          await throttle();
          return store.listOrders({ page, limit: size }, signal);
        },
        waitMs: () => 0,
      });
    } finally {
      leave?.();
    }
  };
}
