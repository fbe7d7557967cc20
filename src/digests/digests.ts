import { createConcurrencyLimit } from "../basics/concurrency-limit.ts";
import type { GuildPollerDeps } from "../polling/guild-poller-deps.ts";
import type { Rhythm } from "../reports/days.ts";
import type { Table } from "../storage/table.ts";
import { Digest } from "./digest.ts";
import {
  type DigestRecord,
  digestStatesTable,
  digestsAt,
  digestsTable,
  digestZone,
  noDigest,
} from "./digest-record.ts";

/** What a failing storage did not tell is asked again after so long, also where polls are rare. */
const againMs = 60_000;
/**
 * Digests made at a time in a process: at nine o'clock those of all servers are due. One holds a page of the store and the
 * sums of its days; 8 of them leave 504 of the 512 connections to polls and people.
 */
const mostAtOnce = 8;
/**
 * 50,000 orders take 131 s (docs/benchmarks.md). A store that is slower, or has a million orders, holds up the digests of
 * others for no longer: at most 96 are under way where each takes an hour, with 40 bytes for each order.
 */
const longestMs = 5 * 60_000;

/** What a person chose. */
export interface ChosenDigest {
  readonly channelId: string;
  readonly every: Rhythm;
  readonly hour: number;
  /** As IANA has it; none for the server's. */
  readonly timezone?: string | undefined;
}

/** The digests of all servers: an object for each that has some. Every method but `goOn` throws `StorageError`. */
export class Digests {
  private readonly deps: GuildPollerDeps;
  private readonly table: Table<DigestRecord>;
  private readonly some = new Map<string, Digest>();
  private readonly limit = createConcurrencyLimit(mostAtOnce, longestMs);
  /** Servers without digests, with the epoch in which that was read. */
  private readonly none = new Map<string, number>();
  /** How often a record has changed: what was read meanwhile is not remembered. */
  private changes = 0;

  constructor(deps: GuildPollerDeps) {
    this.deps = deps;
    this.table = deps.storage.table(digestsTable);
  }

  async record(guildId: string): Promise<DigestRecord> {
    return (await this.table.get(guildId)) ?? noDigest;
  }

  /** Begins with what is due. Never rejects. Gives the ms after which to be called again whatever the schedule says. */
  async post(guildId: string): Promise<number | undefined> {
    const epoch = this.deps.leaseOf(guildId).epoch();
    if (epoch === undefined || this.none.get(guildId) === epoch) return undefined;
    const { changes } = this;
    try {
      if (!this.some.has(guildId) && (await this.record(guildId)).plan === undefined) {
        if (changes === this.changes) this.none.set(guildId, epoch);
        return undefined;
      }
      // Another call may have made it meanwhile.
      const digest = this.some.get(guildId) ?? new Digest(guildId, this.deps, this.limit);
      this.some.set(guildId, digest);
      return await digest.resume();
    } catch (error) {
      this.deps.log.error(
        { err: error, guild: guildId },
        "it is not known whether a digest is due; the next poll looks again",
      );
      return againMs;
    }
  }

  async set(guildId: string, { timezone, ...place }: ChosenDigest): Promise<number> {
    const since = this.deps.now();
    const plan = { ...place, since };
    await this.table.set(guildId, { timezone, plan });
    await this.tell(guildId);
    const { done } = (await this.deps.storage.table(digestStatesTable).get(guildId)) ?? {};
    const zone = digestZone({ timezone }, await this.deps.guilds.get(guildId));
    return digestsAt({ plan, done }, zone, since).nextAt;
  }

  /** To be called before the server's zone becomes another one: where digests go by it, an hour that is over there was never due. */
  async zoneChanges(guildId: string): Promise<void> {
    const { timezone, plan } = await this.record(guildId);
    if (plan === undefined || timezone !== undefined) return;
    await this.table.set(guildId, { plan: { ...plan, since: this.deps.now() } });
  }

  /** The zone stays: `/stats` goes by it where the server has none. */
  async turnOff(guildId: string): Promise<void> {
    const { timezone } = await this.record(guildId);
    await this.table.set(guildId, { timezone });
    await this.tell(guildId);
  }

  /** The process that polls the server hears of a change of its record. */
  private async tell(guildId: string): Promise<void> {
    await this.deps.guilds.update(guildId, (guild) => ({ ...guild }));
  }

  recordChanged(guildId: string) {
    this.changes++;
    this.none.delete(guildId);
    this.some.get(guildId)?.forgetMemory();
  }

  /** Gives whether a digest waits for the server's channels, and may be tried again. */
  channelChanged(guildId: string): boolean {
    return this.some.get(guildId)?.channelChanged() ?? false;
  }

  /** The servers that have digests. */
  async guildIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const [id, { plan }] of this.table.entries()) if (plan !== undefined) ids.push(id);
    return ids;
  }

  /** Another process changed what is kept for the server: its channels, perhaps. */
  changedElsewhere(guildId: string) {
    this.recordChanged(guildId);
    this.channelChanged(guildId);
  }

  /** Resolves when none of these servers' is under way. */
  async settled(isOne: (guildId: string) => boolean): Promise<void> {
    await Promise.all([...this.some].map(([guildId, digest]) => (isOne(guildId) ? digest.settled() : undefined)));
  }

  /** Deletes all that is kept of a server's digests. */
  async forget(guildId: string): Promise<void> {
    await this.some.get(guildId)?.end();
    this.some.delete(guildId);
    this.none.delete(guildId);
    await this.table.delete(guildId);
    await this.deps.storage.table(digestStatesTable).delete(guildId);
  }
}
