import { createConcurrencyLimit } from "../basics/concurrency-limit.ts";
import type { Rhythm } from "../guilds/digest-settings.ts";
import type { GuildPollerDeps } from "../polling/guild-poller-deps.ts";
import { DigestPoster, digestZone, type PolledServer } from "./digest-poster.ts";
import { digestStatesTable, digestsAt } from "./digest-state.ts";

/** After a failure of the storage, digests are checked again after this, even if polls are rare. */
const againMs = 60_000;
/**
 * Digests made at a time in a process, because at nine o'clock those of many servers are due. One holds a page of the store and the
 * sums of its days; 8 of them leave 504 of the 512 connections to polls and people.
 */
const mostAtOnce = 8;
/**
 * A digest holds up those of others for no longer than this. 50,000 orders take 131 s (docs/benchmarks.md). If each digest takes an
 * hour, at most 96 are under way, with 40 bytes for each order.
 */
const longestMs = 5 * 60_000;

/** Where and when a person wants digests. */
export interface ChosenDigest {
  readonly channelId: string;
  readonly every: Rhythm;
  readonly hour: number;
  /** As IANA has it; undefined: the server's time zone. */
  readonly timezone?: string | undefined;
}

/** The digests of all servers: a poster for each server that has some. Every method but `post` throws `StorageError`. */
export class DigestPosters {
  private readonly deps: GuildPollerDeps;
  private readonly posters = new Map<string, DigestPoster>();
  private readonly limit = createConcurrencyLimit(mostAtOnce, longestMs);

  constructor(deps: GuildPollerDeps) {
    this.deps = deps;
  }

  /**
   * Begins with a digest that is due. Never rejects.
   *
   * @returns the ms after which to call this again, even if the schedule polls later
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

  /** Returns when the next digest is due, epoch ms. */
  async set(guildId: string, { timezone, ...place }: ChosenDigest): Promise<number> {
    const since = this.deps.now();
    const plan = { ...place, since };
    const guild = await this.deps.guilds.update(guildId, (kept) => ({ ...kept, digest: { timezone, plan } }));
    const { done } = (await this.deps.storage.table(digestStatesTable).get(guildId)) ?? {};
    return digestsAt({ plan, done }, digestZone(guild), since).nextAt;
  }

  /** Returns whether a digest that waits for the server's channels can be tried again. */
  channelChanged(guildId: string): boolean {
    return this.posters.get(guildId)?.channelChanged() ?? false;
  }

  /** Resolves when no digest of these servers is under way. */
  async settled(isOne: (guildId: string) => boolean): Promise<void> {
    await Promise.all([...this.posters].map(([guildId, poster]) => (isOne(guildId) ? poster.settled() : undefined)));
  }

  /** Deletes how far a server's digests are. Its record must say first that they are off. */
  async forget(guildId: string): Promise<void> {
    await this.posters.get(guildId)?.end();
    this.posters.delete(guildId);
    await this.deps.storage.table(digestStatesTable).delete(guildId);
  }
}
