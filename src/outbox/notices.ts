import { z } from "zod";
import { Mutex } from "../basics/limits/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { absent, type Table, type TableShape } from "../storage/table.ts";
import { type ServerNotice, serverNotice } from "../views/alerts/server-notice.ts";
import type { FailureCode, ServerContext } from "./context.ts";
import type { Destination } from "./destination.ts";
import { MessengerError, type MessengerFailure } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";

/** Why nothing can be posted in a channel until its owner repairs it. */
export type BlockedReason = Extract<MessengerFailure, "channel_gone" | "forbidden">;

export const blocksChannel = (code: MessengerFailure): code is BlockedReason =>
  code === "channel_gone" || code === "forbidden";

/** `since`: when the problem began (epoch ms). `told`: whether the notice about it was delivered, or can never be delivered. */
const toldSchema = z.object({ since: z.number(), told: z.boolean() });
type Told = Readonly<z.infer<typeof toldSchema>>;

const healthSchema = z.object({
  lastGoodAt: z.number().optional(),
  lastError: z.object({ code: z.custom<FailureCode>((value) => typeof value === "string"), at: z.number() }).optional(),
});

/** When polls of a server last succeeded, and how and when they last failed. Times are epoch ms. */
export type HealthReport = Readonly<z.infer<typeof healthSchema>>;

/** Whether the last error is later than the last success. */
export const isFailing = ({ lastGoodAt = Number.NEGATIVE_INFINITY, lastError }: HealthReport): boolean =>
  lastError !== undefined && lastError.at > lastGoodAt;

/** While a failure goes on, it is written to the storage at most once per this time. */
const reportEveryMs = 60_000;

/** Problems of channels, by {@link problemKeyOf}. */
const channelsSchema = z.record(z.string(), toldSchema);

/** The key of problems of the alert channel. Rules have their ids. */
const alertsKey = "alerts";
const digestKey = (since: number) => `digest ${since}`;

const recordSchema = z
  .object({
    storeDown: toldSchema.optional(),
    refused: toldSchema.optional(),
    keyLost: toldSchema.optional(),
    channels: channelsSchema.optional(),
    /** Stored from the first failure on, so that other processes can show it. */
    health: healthSchema.optional(),
    // Not written any more. Each sort of channel had a field of its own.
    blocked: toldSchema.optional(),
    routes: channelsSchema.optional(),
    digest: toldSchema.extend({ plan: z.number() }).optional(),
  })
  .transform(({ blocked, routes, digest, channels, ...record }) => {
    const former: Record<string, Told> = { ...routes };
    if (blocked) former[alertsKey] = blocked;
    if (digest) former[digestKey(digest.plan)] = { since: digest.since, told: digest.told };
    return { ...record, channels: { ...former, ...channels } };
  });

/**
 * What people of one server were told. It survives a restart, so that each notice is sent once. When alerts are turned off, only
 * the problem of digests stays.
 */
export type NoticesRecord = Readonly<z.infer<typeof recordSchema>>;

/** Keys are server ids. A malformed record reads as empty: people then get a notice a second time, but alerts go on. */
export const noticesTable: TableShape<NoticesRecord> = {
  name: "trouble",
  schema: recordSchema.catch({ channels: {} }),
  version: 1,
};

/** A channel of a server: the one chosen by a rule or for digests, or the alert channel. */
export type Place = Pick<Destination, "channelId" | "rule" | "digest">;

/** Returns the key of problems of the channel, or undefined if no setting names the channel any more. */
function problemKeyOf({ alerts }: Guild, { channelId, rule, digest }: Place): string | undefined {
  if (rule) return rule.id;
  if (digest) return digestKey(digest.since);
  return channelId === alerts?.channelId ? alertsKey : undefined;
}

/** Returns the keys that problems of the server's present channels have. */
const presentKeys = ({ routes = [], digest }: Guild) =>
  new Set([alertsKey, ...routes.map(({ id }) => id), ...(digest?.plan ? [digestKey(digest.plan.since)] : [])]);

/** Whether Discord refuses messages in a channel that the server's settings name. */
export const isRefused = ({ channels }: NoticesRecord, guild: Guild): boolean =>
  Object.keys(channels).some((key) => presentKeys(guild).has(key));

/** Returns since when nothing can be posted in the alert channel (epoch ms). */
export const blockedSince = ({ channels }: NoticesRecord): number | undefined => channels[alertsKey]?.since;

type StoreProblem = "storeDown" | "refused" | "keyLost";

/** A store that is down for this long is announced in the alert channel. */
const storeDownNoticeMs = 10 * 60_000;

const noticeOf: Record<StoreProblem, (since: number) => ServerNotice> = {
  storeDown: (since) => ({ about: "store_down", since }),
  refused: (since) => ({ about: "token_refused", since }),
  keyLost: (since) => ({ about: "key_lost", since }),
};

/** Returns the notice to the owner about a channel. */
function channelNotice({ channelId, rule, digest }: Place, reason: BlockedReason, server: string): ServerNotice {
  if (rule) return { about: `route_${reason}`, server, channelId, rule: rule.name, style: rule.style };
  return { about: digest ? `digest_${reason}` : reason, server, channelId };
}

/**
 * Tells the people of one server about problems, each time once, and remembers what they were told. No other class tells them.
 * channel-health.ts decides that a channel fails, and poll-failures.ts that a store does.
 * Every method except `report` throws `StorageError`.
 */
export class Notices {
  private readonly server: ServerContext;
  private readonly table: Table<NoticesRecord>;
  private readonly writes = new Mutex();
  private known: NoticesRecord | undefined;

  constructor(server: ServerContext) {
    this.server = server;
    this.table = server.storage.table(noticesTable);
  }

  /** Returns the record. It is read from the storage once, and then kept in memory. */
  async record(): Promise<NoticesRecord> {
    if (this.known) return this.known;
    const kept = (await this.table.get(this.server.guildId)) ?? { channels: {} };
    this.known ??= kept;
    return this.known;
  }

  /**
   * Replaces the stored row by the result of `change`, or deletes it if the result is undefined. Another process may have written
   * or deleted the row, so `change` gets the stored row, and not the one in memory.
   *
   * @param alsoIfRecordChanged as in `Commit`. If it is false, throws `ConflictError` if the commit is refused
   */
  private write(
    change: (before: NoticesRecord) => NoticesRecord | undefined,
    alsoIfRecordChanged = true,
  ): Promise<void> {
    return this.writes.run(async () => {
      const { table } = this;
      const { commit, guildId } = this.server;
      // If the write fails, it may still have been stored. So the record must be read again.
      this.known = undefined;
      for (;;) {
        const [row = absent(guildId)] = await table.read([guildId]);
        const next = change(row.value ?? { channels: {} });
        if (await commit([next ? table.put(row, next) : table.remove(row)], alsoIfRecordChanged)) {
          this.known = next ?? { channels: {} };
          return;
        }
        if (!alsoIfRecordChanged) throw new ConflictError();
      }
    });
  }

  /** Records the changed fields. */
  private keep(change: (before: NoticesRecord) => Partial<NoticesRecord>): Promise<void> {
    return this.write((before) => ({ ...before, ...change(before) }));
  }

  /**
   * Posts a notice in a channel of the server. Throws `MessengerError`.
   * A repeat must have the same nonce, and another notice a different one. So `what` needs something that differs between two
   * notices, such as the time of the problem. The number of orders that arrived is left out of the nonce, because it changes
   * after a crash.
   */
  async announce(guild: Guild, channelId: string, what: ServerNotice, signal?: AbortSignal): Promise<void> {
    const nonce = nonceFor(guild.id, channelId, [JSON.stringify({ ...what, arrived: undefined })]);
    await this.server.messenger.send(channelId, serverNotice(what, guild.settings.language), nonce, { signal });
  }

  /** Posts the notice in the alert channel. Returns whether it was posted. */
  private async tellChannel(guild: Guild, what: ServerNotice): Promise<boolean> {
    if (!guild.alerts) return false;
    try {
      await this.announce(guild, guild.alerts.channelId, what, this.server.lease.signal());
      return true;
    } catch (error) {
      this.notDelivered(what.about, error);
      return false;
    }
  }

  private notDelivered(about: string, error: unknown) {
    if (!(error instanceof MessengerError)) throw error;
    this.server.log.warn({ err: error, guild: this.server.guildId, about }, "a notice could not be delivered");
  }

  /** Records that the store cannot be read. Tells the channel once: at once, or after 10 minutes if the store is down. */
  async storeFailed(guild: Guild, problem: StoreProblem): Promise<void> {
    const { now } = this.server;
    const before = (await this.record())[problem];
    const since = before?.since ?? now();
    // Record the time first, so that a repeat after a crash has the same nonce.
    if (!before) await this.keep(() => ({ [problem]: { since, told: false } }));
    const isDue = problem !== "storeDown" || now() - since >= storeDownNoticeMs;
    if (before?.told || !isDue) return;
    if (await this.tellChannel(guild, noticeOf[problem](since)))
      await this.keep(() => ({ [problem]: { since, told: true } }));
  }

  /**
   * Records that the store was read. If the channel was told about a failure, it is told that the store is back. `arrived` is
   * the number of new orders.
   */
  async storeAnswered(guild: Guild, arrived: number): Promise<void> {
    const { storeDown, refused, keyLost } = await this.record();
    if (!storeDown && !refused && !keyLost) return;
    const told = [storeDown, refused, keyLost].find((problem) => problem?.told);
    // If this notice cannot be delivered, it is not repeated: the alerts that follow show that the store is back.
    if (told) await this.tellChannel(guild, { about: "store_back", since: told.since, arrived });
    await this.keep(() => ({ storeDown: undefined, refused: undefined, keyLost: undefined }));
  }

  /** Tells the server's owner once that nothing can be posted in this channel, or that its history may not be read. */
  async channelFailed(guild: Guild, place: Place, reason: BlockedReason): Promise<void> {
    const key = problemKeyOf(guild, place);
    const before = key === undefined ? undefined : (await this.record()).channels[key];
    if (key === undefined || before?.told) return;
    const since = before?.since ?? this.server.now();
    // Record the time first, so that a repeat after a crash has the same nonce.
    if (!before) await this.keepChannel(guild, key, { since, told: false });
    const nonce = nonceFor(guild.id, place.channelId, [reason, key, String(since)]);
    if (await this.tellOwner(guild, nonce, (server) => channelNotice(place, reason, server)))
      await this.keepChannel(guild, key, { since, told: true });
  }

  /** Ends the problem of this channel: a message was posted there. */
  async channelWorks(guild: Guild, place: Place): Promise<void> {
    const key = problemKeyOf(guild, place);
    if (key === undefined || !(await this.record()).channels[key]) return;
    await this.keep(({ channels: { [key]: _, ...channels } }) => ({ channels }));
  }

  /** Records the problem of a channel, and forgets problems of channels that no setting names any more. */
  private async keepChannel(guild: Guild, key: string, told: Told) {
    const present = presentKeys(guild);
    await this.keep(({ channels }) => {
      const others = Object.entries(channels).filter(([id]) => present.has(id));
      return { channels: { ...Object.fromEntries(others), [key]: told } };
    });
  }

  /** Returns true if the owner was told, or can never be told. */
  private async tellOwner(guild: Guild, nonce: string, notice: (server: string) => ServerNotice): Promise<boolean> {
    const make = (server: string) => serverNotice(notice(server), guild.settings.language);
    try {
      await this.server.messenger.tellOwner(guild.id, make, nonce);
      return true;
    } catch (error) {
      this.notDelivered(notice("").about, error);
      // The owner accepts no direct messages, so a repeat would fail, too.
      return error instanceof MessengerError && error.code === "forbidden";
    }
  }

  /**
   * Records for other processes whether polls succeed. Writes when polls begin or stop failing, and at most every minute while
   * they fail. Never rejects.
   */
  async report({ lastGoodAt, lastError }: HealthReport): Promise<void> {
    try {
      const { health: before = {} } = await this.record();
      const next = { lastGoodAt: lastGoodAt ?? before.lastGoodAt, lastError: lastError ?? before.lastError };
      const isSame = isFailing(next) === isFailing(before) && next.lastError?.code === before.lastError?.code;
      if (isSame && (next.lastError?.at ?? 0) - (before.lastError?.at ?? 0) < reportEveryMs) return;
      // `/alerts off` in another process deletes the row. A report must not create it again.
      await this.write((stored) => ({ ...stored, health: next }), false);
    } catch (error) {
      if (error instanceof ConflictError) return;
      const message = "how polls go could not be reported to other processes";
      this.server.log.warn({ err: error, guild: this.server.guildId }, message);
    }
  }

  /** Must be called when the storage may have changed without this object. */
  forgetMemory() {
    this.known = undefined;
  }

  /** Forgets what people were told, except about the channel of digests. */
  alertsOff({ digest }: Guild): Promise<void> {
    const key = digest?.plan && digestKey(digest.plan.since);
    return this.write(({ channels }) => {
      const told = key === undefined ? undefined : channels[key];
      return key === undefined || told === undefined ? undefined : { channels: { [key]: told } };
    });
  }

  clear(): Promise<void> {
    return this.write(() => undefined);
  }
}
