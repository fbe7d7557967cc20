import { createConcurrencyLimit } from "../basics/limits/concurrency-limit.ts";
import type { Rhythm } from "../guilds/digest-settings.ts";
import type { ProcessContext } from "../outbox/context.ts";
import { DigestPoster, digestZone, type PolledServer } from "./digest-poster.ts";
import { digestStatesTable, digestsAt } from "./digest-state.ts";

/** The wait after a failure of the storage until digests are checked again, even if polls are rare. */
const againMs = 60_000;
/**
 * Maximum number of digests that a process makes at the same time, because those of many servers are due at nine o'clock. Each
 * needs a connection and holds a page of orders and the sums of its days. With 8 of them, 504 of the 512 connections are left
 * for polls and people.
 */
const mostAtOnce = 8;
/**
 * After this time, a digest no longer counts for the maximum, so it does not delay others. 50,000 orders take 131 s
 * (docs/benchmarks.md). If each digest takes an hour, at most 96 are being made, with 40 bytes per order.
 */
const longestMs = 5 * 60_000;

/** The channel and times that a person chose for digests. */
export interface ChosenDigest {
  readonly channelId: string;
  readonly every: Rhythm;
  readonly hour: number;
  /** IANA name of the time zone. If it is undefined, the server's time zone is used. */
  readonly timezone?: string | undefined;
}

/**
 * The digests of all servers. It has one `DigestPoster` for each server with digests. Every method except `post` throws
 * `StorageError`.
 */
export class DigestPosters {
  private readonly deps: ProcessContext;
  private readonly posters = new Map<string, DigestPoster>();
  private readonly limit = createConcurrencyLimit(mostAtOnce, longestMs);

  constructor(deps: ProcessContext) {
    this.deps = deps;
  }

  /**
   * Begins to make the digest of a server that is due. Never rejects.
   *
   * @returns the ms until the next call, which may come before the next scheduled poll
   */
  async post(guildId: string, poller: PolledServer): Promise<number | undefined> {
    if (this.deps.leaseOf(guildId).epoch() === undefined) return undefined;
    try {
      if ((await poller.record()).digest?.plan === undefined) return undefined;
      const poster = this.posters.get(guildId) ?? new DigestPoster(guildId, this.deps, this.limit);
      this.posters.set(guildId, poster);
      return await poster.resume(poller);
    } catch (error) {
      this.deps.log.error(
        { err: error, guild: guildId },
        "it is not known whether a digest is due; the next poll looks again",
      );
      return againMs;
    }
  }

  /** Stores the settings of digests. Returns when the next digest is due (epoch ms). */
  async set(guildId: string, { timezone, ...place }: ChosenDigest): Promise<number> {
    const since = this.deps.now();
    const plan = { ...place, since };
    const guild = await this.deps.guilds.update(guildId, (kept) => ({ ...kept, digest: { timezone, plan } }));
    const { done } = (await this.deps.storage.table(digestStatesTable).get(guildId)) ?? {};
    return digestsAt({ plan, done }, digestZone(guild), since).nextAt;
  }

  /** Must be called when a channel of the server changed. Returns whether a failed digest is tried again. */
  channelChanged(guildId: string): boolean {
    return this.posters.get(guildId)?.channelChanged() ?? false;
  }

  /** Resolves when no digest of these servers is being made. */
  async settled(isOne: (guildId: string) => boolean): Promise<void> {
    await Promise.all([...this.posters].map(([guildId, poster]) => (isOne(guildId) ? poster.settled() : undefined)));
  }

  /** Deletes the state of a server's digests. Before that, its record must say that digests are off. */
  async forget(guildId: string): Promise<void> {
    await this.posters.get(guildId)?.end();
    this.posters.delete(guildId);
    await this.deps.storage.table(digestStatesTable).delete(guildId);
  }
}
