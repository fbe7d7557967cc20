import { z } from "zod";
import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Table, TableShape } from "../storage/table.ts";
import type { StoreErrorCode } from "../store-api/store-error.ts";
import { type ServerNotice, serverNotice } from "../views/alerts/server-notice.ts";
import { type Messenger, MessengerError, type MessengerFailure } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";

const blockageSchema = z.enum(["channel_gone", "forbidden"]);

/** Why nothing can be posted in a channel until its owner mends it. */
export type BlockedReason = z.infer<typeof blockageSchema>;

export const blocksChannel = (code: MessengerFailure): code is BlockedReason =>
  code === "channel_gone" || code === "forbidden";

/** What went wrong last, in a word that the views have a sentence for. */
export type FailureCode =
  | StoreErrorCode
  | BlockedReason
  | "undecryptable"
  | "storage"
  | "refused"
  | "undelivered"
  | "internal";

/** Since when something is wrong (epoch ms), and whether the notice of it was really delivered. */
const toldSchema = z.object({ since: z.number(), told: z.boolean() });

const recordSchema = z.object({
  storeDown: toldSchema.optional(),
  refused: toldSchema.optional(),
  keyLost: toldSchema.optional(),
  blocked: toldSchema.extend({ reason: blockageSchema }).optional(),
});

/** What has to survive a restart so that people are told once and no more, until alerts are turned off. */
export type NoticesRecord = Readonly<z.infer<typeof recordSchema>>;

/** 0.1.0 kept a store that was down in two fields. */
const keptSchema = recordSchema
  .extend({ storeDownSince: z.number().optional(), storeDownTold: z.boolean().optional() })
  .transform(({ storeDownSince: since, storeDownTold: told = false, ...kept }): NoticesRecord => {
    return since === undefined ? kept : { ...kept, storeDown: { since, told } };
  });

/** By the ids of servers. What is malformed is forgotten: people are told once more, and alerts go on. */
export const noticesTable: TableShape<NoticesRecord> = { name: "trouble", schema: keptSchema.catch({}), version: 1 };

type StoreProblem = "storeDown" | "refused" | "keyLost";

/** A store that was down this long is worth a notice. */
const storeDownNoticeMs = 10 * 60_000;

const noticeOf: Record<StoreProblem, (since: number) => ServerNotice> = {
  storeDown: (since) => ({ about: "store_down", since }),
  refused: (since) => ({ about: "token_refused", since }),
  keyLost: (since) => ({ about: "key_lost", since }),
};

export interface NoticesDeps {
  readonly guildId: string;
  readonly table: Table<NoticesRecord>;
  readonly messenger: Messenger;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the lease is over: nothing is sent after that. */
  signal(): AbortSignal;
}

/** What one server's people were told, and the only place that tells them. Every method throws `StorageError`. */
export class Notices {
  private readonly deps: NoticesDeps;
  private known: NoticesRecord | undefined;
  /** Whether anything was ever recorded of this server here. */
  private isRecorded = true;

  constructor(deps: NoticesDeps) {
    this.deps = deps;
  }

  /** From memory once it was read. */
  async record(): Promise<NoticesRecord> {
    if (this.known === undefined) {
      const kept = await this.deps.table.get(this.deps.guildId);
      this.isRecorded = kept !== undefined;
      this.known = kept ?? {};
    }
    return this.known;
  }

  private async keep(change: NoticesRecord) {
    const next: NoticesRecord = { ...(await this.record()), ...change };
    this.known = undefined;
    await this.deps.table.set(this.deps.guildId, next);
    this.isRecorded = true;
    this.known = next;
  }

  /**
   * What a person who waits is told in the channel. Said again, the same notice has the same nonce: what tells two apart,
   * such as since when, has to be in it. Throws `MessengerError`.
   */
  async announce(guild: Guild, channelId: string, what: ServerNotice, signal?: AbortSignal): Promise<void> {
    const nonce = nonceFor(guild.id, channelId, [JSON.stringify(what)]);
    await this.deps.messenger.send(channelId, serverNotice(what, guild.settings.language), nonce, signal);
  }

  /** Whether a notice stands in the alert channel now. */
  private async tellChannel(guild: Guild, what: ServerNotice): Promise<boolean> {
    if (!guild.alerts) return false;
    try {
      await this.announce(guild, guild.alerts.channelId, what, this.deps.signal());
      return true;
    } catch (error) {
      this.notDelivered(what.about, error);
      return false;
    }
  }

  private notDelivered(about: string, error: unknown) {
    if (!(error instanceof MessengerError)) throw error;
    this.deps.log.warn({ err: error, guild: this.deps.guildId, about }, "a notice could not be delivered");
  }

  /** The store cannot be read. Tells the channel once: at once, or after 10 minutes for one that is down. */
  async storeFailed(guild: Guild, problem: StoreProblem): Promise<void> {
    const { now } = this.deps;
    const recorded = (await this.record())[problem];
    const before = recorded ?? (problem === "refused" ? this.refusedBefore(guild) : undefined);
    const since = before?.since ?? now();
    // Written down first, so that the same notice has the same nonce after a crash.
    if (!recorded) await this.keep({ [problem]: { since, told: before?.told ?? false } });
    const isDue = problem !== "storeDown" || now() - since >= storeDownNoticeMs;
    if (before?.told || !isDue) return;
    if (await this.tellChannel(guild, noticeOf[problem](since))) await this.keep({ [problem]: { since, told: true } });
  }

  /** A refused token that 0.1.0 told of: it noted that in the server's record, and nothing here. */
  private refusedBefore({ token }: Guild) {
    return this.isRecorded || token?.refusedAt === undefined ? undefined : { since: token.refusedAt, told: true };
  }

  /** The store was read; tells the channel if it had been told otherwise. */
  async storeAnswered(guild: Guild, arrived: number): Promise<void> {
    const { storeDown, refused, keyLost } = await this.record();
    // What 0.1.0 noted is over, and must not pass for a later refusal.
    if (this.refusedBefore(guild)) await this.keep({});
    if (!storeDown && !refused && !keyLost) return;
    const told = [storeDown, refused, keyLost].find((problem) => problem?.told);
    // One that cannot be delivered is left out: the orders themselves say that all is well again.
    if (told) await this.tellChannel(guild, { about: "store_back", since: told.since, arrived });
    await this.keep({ storeDown: undefined, refused: undefined, keyLost: undefined });
  }

  /** Nothing can be posted; tells the server's owner once. */
  async channelFailed(guild: Guild, reason: BlockedReason): Promise<void> {
    const { blocked: before } = await this.record();
    if (before?.told) return;
    const blocked = { reason, since: before?.since ?? this.deps.now() };
    await this.keep({ blocked: { ...blocked, told: false } });
    if (await this.tellOwner(guild, blocked)) await this.keep({ blocked: { ...blocked, told: true } });
  }

  private async tellOwner(guild: Guild, { reason, since }: { reason: BlockedReason; since: number }): Promise<boolean> {
    const channelId = guild.alerts?.channelId ?? "";
    const make = (server: string) => serverNotice({ about: reason, server, channelId }, guild.settings.language);
    try {
      await this.deps.messenger.tellOwner(guild.id, make, nonceFor(guild.id, channelId, [reason, String(since)]));
      return true;
    } catch (error) {
      this.notDelivered(reason, error);
      // An owner who takes no direct messages will not take the next one either.
      return error instanceof MessengerError && error.code === "forbidden";
    }
  }

  async channelWorks(): Promise<void> {
    if ((await this.record()).blocked) await this.keep({ blocked: undefined });
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = undefined;
  }

  async clear(): Promise<void> {
    this.known = undefined;
    await this.deps.table.delete(this.deps.guildId);
    this.known = {};
  }
}
