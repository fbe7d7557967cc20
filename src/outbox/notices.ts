import { z } from "zod";
import type { Log } from "../basics/log.ts";
import { Mutex } from "../basics/mutex.ts";
import type { DigestPlan } from "../guilds/digest-settings.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { type Commit, replace, type Table, type TableShape } from "../storage/table.ts";
import type { StoreErrorCode } from "../store-api/store-error.ts";
import { type ServerNotice, serverNotice } from "../views/alerts/server-notice.ts";
import { type Messenger, MessengerError, type MessengerFailure } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";

const blockageSchema = z.enum(["channel_gone", "forbidden"]);

/** Why nothing can be posted in a channel until its owner repairs it. */
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

/** Since when something is wrong (epoch ms), and whether the notice of it was delivered, or never can be. */
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

/** A failure that goes on is reported so often. */
const reportEveryMs = 60_000;

const recordSchema = z.object({
  storeDown: toldSchema.optional(),
  refused: toldSchema.optional(),
  keyLost: toldSchema.optional(),
  blocked: toldSchema.extend({ reason: blockageSchema }).optional(),
  /** Rules in whose channels nothing can be posted, by their ids, and by {@link historyOf} those whose history may not be read. */
  routes: z.record(z.string(), toldSchema).optional(),
  /** A digest that cannot be posted; of the plan that was chosen at `plan` (epoch ms). */
  digest: toldSchema.extend({ plan: z.number() }).optional(),
  /** For other processes to show, from the first failure on. */
  health: healthSchema.optional(),
});

/** What has to survive a restart so that people are told once and no more, until alerts are turned off. */
export type NoticesRecord = Readonly<z.infer<typeof recordSchema>>;

/** By the ids of servers. What is malformed is forgotten: people are told once more, and alerts go on. */
export const noticesTable: TableShape<NoticesRecord> = { name: "trouble", schema: recordSchema.catch({}), version: 1 };

const historyOf = ({ id }: Route) => `${id} history`;

type StoreProblem = "storeDown" | "refused" | "keyLost";

/** A store that was down this long is worth a notice. */
const storeDownNoticeMs = 10 * 60_000;

const noticeOf: Record<StoreProblem, (since: number) => ServerNotice> = {
  storeDown: (since) => ({ about: "store_down", since }),
  refused: (since) => ({ about: "token_refused", since }),
  keyLost: (since) => ({ about: "key_lost", since }),
};

/** A problem of which the owner is told. */
interface OwnerNotice {
  readonly guild: Guild;
  readonly channelId: string;
  /** Part of the nonce. */
  readonly cause: readonly string[];
  readonly before: Told | undefined;
}

export interface NoticesDeps {
  readonly guildId: string;
  readonly table: Table<NoticesRecord>;
  readonly commit: Commit;
  readonly messenger: Messenger;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the lease is over: nothing is sent after that. */
  signal(): AbortSignal;
}

/** What one server's people were told, and the only place that tells them. Every method but `report` throws `StorageError`. */
export class Notices {
  private readonly deps: NoticesDeps;
  private readonly writes = new Mutex();
  private known: NoticesRecord | undefined;

  constructor(deps: NoticesDeps) {
    this.deps = deps;
  }

  /** From memory once it was read. */
  async record(): Promise<NoticesRecord> {
    if (this.known) return this.known;
    const kept = (await this.deps.table.get(this.deps.guildId)) ?? {};
    this.known ??= kept;
    return this.known;
  }

  private keep(change: (before: NoticesRecord) => NoticesRecord): Promise<void> {
    return this.writes.run(async () => {
      const { table, commit, guildId } = this.deps;
      const before = await this.record();
      const next = { ...before, ...change(before) };
      // It may have been written where that fails.
      this.known = undefined;
      await replace(table, commit, guildId, next);
      this.known = next;
    });
  }

  /**
   * Posts a notice in a channel of the server. A repeat has the same nonce, so `what` needs something that differs between
   * two notices, such as since when. The count of orders that came is no part of the nonce: after a kill it is another one.
   * Throws `MessengerError`.
   */
  async announce(guild: Guild, channelId: string, what: ServerNotice, signal?: AbortSignal): Promise<void> {
    const nonce = nonceFor(guild.id, channelId, [JSON.stringify({ ...what, arrived: undefined })]);
    await this.deps.messenger.send(channelId, serverNotice(what, guild.settings.language), nonce, { signal });
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
    const before = (await this.record())[problem];
    const since = before?.since ?? now();
    // Written down first, so that the same notice has the same nonce after a crash.
    if (!before) await this.keep(() => ({ [problem]: { since, told: false } }));
    const isDue = problem !== "storeDown" || now() - since >= storeDownNoticeMs;
    if (before?.told || !isDue) return;
    if (await this.tellChannel(guild, noticeOf[problem](since)))
      await this.keep(() => ({ [problem]: { since, told: true } }));
  }

  /** The store was read; tells the channel if it had been told otherwise. */
  async storeAnswered(guild: Guild, arrived: number): Promise<void> {
    const { storeDown, refused, keyLost } = await this.record();
    if (!storeDown && !refused && !keyLost) return;
    const told = [storeDown, refused, keyLost].find((problem) => problem?.told);
    // One that cannot be delivered is left out: the orders themselves say that all is well again.
    if (told) await this.tellChannel(guild, { about: "store_back", since: told.since, arrived });
    await this.keep(() => ({ storeDown: undefined, refused: undefined, keyLost: undefined }));
  }

  /**
   * Tells the server's owner once about a problem that lasts.
   *
   * @param before what is recorded of it
   * @param keep records it, before the owner is told: so the notice has the same nonce after a crash
   */
  private async ownerOnce(
    { guild, channelId, cause, before }: OwnerNotice,
    keep: (told: Told) => Promise<void>,
    notice: (server: string) => ServerNotice,
  ): Promise<void> {
    if (before?.told) return;
    const since = before?.since ?? this.deps.now();
    await keep({ since, told: false });
    if (await this.tellOwner(guild, channelId, [...cause, String(since)], notice)) await keep({ since, told: true });
  }

  /** Nothing can be posted in the alert channel. */
  async channelFailed(guild: Guild, reason: BlockedReason): Promise<void> {
    const { blocked: before } = await this.record();
    const channelId = guild.alerts?.channelId ?? "";
    const keep = (told: Told) => this.keep(() => ({ blocked: { ...told, reason } }));
    const notice = (server: string) => ({ about: reason, server, channelId });
    await this.ownerOnce({ guild, channelId, cause: [reason], before }, keep, notice);
  }

  /** Nothing can be posted in a rule's channel, or its history may not be read. */
  async routeFailed(guild: Guild, route: Route, reason: BlockedReason, isHistory: boolean): Promise<void> {
    const { routes = {} } = await this.record();
    // A missing permission is one notice, whether it is needed for posting or for the history.
    if (routes[route.id]?.told || (reason === "forbidden" && routes[historyOf(route)]?.told)) return;
    const key = isHistory ? historyOf(route) : route.id;
    const about = reason === "forbidden" ? "route_forbidden" : "route_channel_gone";
    const { channelId, name: rule, style } = route;
    await this.ownerOnce(
      { guild, channelId, cause: [reason, route.id], before: routes[key] },
      (told) => this.keepRoute(guild, key, told),
      (server) => ({ about, server, channelId, rule, style }),
    );
  }

  /** A digest cannot be posted in the channel of its plan. */
  async digestFailed(guild: Guild, { channelId, since: plan }: DigestPlan, reason: BlockedReason): Promise<void> {
    const { digest } = await this.record();
    const before = digest?.plan === plan ? digest : undefined;
    const about = reason === "forbidden" ? "digest_forbidden" : "digest_channel_gone";
    const keep = (told: Told) => this.keep(() => ({ digest: { ...told, plan } }));
    const notice = (server: string) => ({ about, server, channelId }) as const;
    await this.ownerOnce({ guild, channelId, cause: ["digest", reason], before }, keep, notice);
  }

  async digestWorks(): Promise<void> {
    if ((await this.record()).digest) await this.keep(() => ({ digest: undefined }));
  }

  /** Something could be posted in a rule's channel, or its history be read. */
  async routeWorks(route: Route, isHistory = false): Promise<void> {
    const key = isHistory ? historyOf(route) : route.id;
    if (!(await this.record()).routes?.[key]) return;
    await this.keep(({ routes: { [key]: _, ...others } = {} }) => ({ routes: others }));
  }

  /** Of rules that were removed nothing is kept. */
  private async keepRoute({ routes = [] }: Guild, key: string, told: Told) {
    const present = new Set(routes.flatMap((route) => [route.id, historyOf(route)]));
    await this.keep((before) => {
      const others = Object.entries(before.routes ?? {}).filter(([id]) => present.has(id));
      return { routes: { ...Object.fromEntries(others), [key]: told } };
    });
  }

  /** Whether the owner knows, or cannot be told. */
  private async tellOwner(
    guild: Guild,
    channelId: string,
    cause: readonly string[],
    notice: (server: string) => ServerNotice,
  ): Promise<boolean> {
    const make = (server: string) => serverNotice(notice(server), guild.settings.language);
    try {
      await this.deps.messenger.tellOwner(guild.id, make, nonceFor(guild.id, channelId, cause));
      return true;
    } catch (error) {
      this.notDelivered(notice("").about, error);
      // An owner who takes no direct messages will not take the next one either.
      return error instanceof MessengerError && error.code === "forbidden";
    }
  }

  /** Records how polls go, for other processes. Writes only when they begin or cease to fail, and while they fail. Never rejects. */
  async report({ lastGoodAt, lastError }: HealthReport): Promise<void> {
    try {
      const { health: before = {} } = await this.record();
      const next = { lastGoodAt: lastGoodAt ?? before.lastGoodAt, lastError: lastError ?? before.lastError };
      const isSame = isFailing(next) === isFailing(before) && next.lastError?.code === before.lastError?.code;
      if (isSame && (next.lastError?.at ?? 0) - (before.lastError?.at ?? 0) < reportEveryMs) return;
      await this.keep(() => ({ health: next }));
    } catch (error) {
      if (error instanceof ConflictError) return;
      const message = "how polls go could not be reported to other processes";
      this.deps.log.warn({ err: error, guild: this.deps.guildId }, message);
    }
  }

  async channelWorks(): Promise<void> {
    if ((await this.record()).blocked) await this.keep(() => ({ blocked: undefined }));
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
