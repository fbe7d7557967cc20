import { z } from "zod";
import { Mutex } from "../basics/limits/mutex.ts";
import type { Log } from "../basics/log.ts";
import type { DigestPlan } from "../guilds/digest-settings.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Rule } from "../guilds/rule.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { absent, type Commit, type Table, type TableShape } from "../storage/table.ts";
import { type ServerNotice, serverNotice } from "../views/alerts/server-notice.ts";
import type { FailureCode } from "./context.ts";
import { type Messenger, MessengerError, type MessengerFailure } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";

const blockageSchema = z.enum(["channel_gone", "forbidden"]);

/** Why nothing can be posted in a channel until its owner repairs it. */
export type BlockedReason = z.infer<typeof blockageSchema>;

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

const recordSchema = z.object({
  storeDown: toldSchema.optional(),
  refused: toldSchema.optional(),
  keyLost: toldSchema.optional(),
  blocked: toldSchema.extend({ reason: blockageSchema }).optional(),
  /**
   * Keys are the ids of rules in whose channels nothing can be posted, and {@link historyOf} keys of rules whose channel
   * history may not be read.
   */
  routes: z.record(z.string(), toldSchema).optional(),
  /** A digest that cannot be posted. `plan` is when the settings of digests were saved (epoch ms). */
  digest: toldSchema.extend({ plan: z.number() }).optional(),
  /** Stored from the first failure on, so that other processes can show it. */
  health: healthSchema.optional(),
});

/**
 * What people of one server were told. It survives a restart, so that each notice is sent once. When alerts are turned off, only
 * `digest` stays.
 */
export type NoticesRecord = Readonly<z.infer<typeof recordSchema>>;

/** Keys are server ids. A malformed record reads as empty: people then get a notice a second time, but alerts go on. */
export const noticesTable: TableShape<NoticesRecord> = { name: "trouble", schema: recordSchema.catch({}), version: 1 };

const historyOf = ({ id }: Rule) => `${id} history`;

/** The keys that notices about the server's rules can have in `routes`. */
const keysOf = ({ routes = [] }: Guild) => routes.flatMap((rule) => [rule.id, historyOf(rule)]);

/**
 * Whether Discord refuses messages in the alert channel or in a rule's channel. A notice about a rule can outlive the rule, so
 * only notices about present rules count.
 */
export const isRefused = ({ blocked, routes = {} }: NoticesRecord, guild: Guild): boolean =>
  blocked !== undefined || keysOf(guild).some((key) => key in routes);

type StoreProblem = "storeDown" | "refused" | "keyLost";

/** A store that is down for this long is announced in the alert channel. */
const storeDownNoticeMs = 10 * 60_000;

const noticeOf: Record<StoreProblem, (since: number) => ServerNotice> = {
  storeDown: (since) => ({ about: "store_down", since }),
  refused: (since) => ({ about: "token_refused", since }),
  keyLost: (since) => ({ about: "key_lost", since }),
};

/** A lasting problem that the owner has to know. */
interface OwnerNotice {
  readonly guild: Guild;
  readonly channelId: string;
  /** Identifies the problem. It is part of the nonce. */
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
  /** Returns a signal that is aborted when the lease is over. Nothing is sent after that. */
  signal(): AbortSignal;
}

/**
 * Tells the people of one server about problems, each time once, and remembers what they were told. No other class tells them.
 * channel-health.ts decides that a channel fails, and poll-failures.ts that a store does.
 * Every method except `report` throws `StorageError`.
 */
export class Notices {
  private readonly deps: NoticesDeps;
  private readonly writes = new Mutex();
  private known: NoticesRecord | undefined;

  constructor(deps: NoticesDeps) {
    this.deps = deps;
  }

  /** Returns the record. It is read from the storage once, and then kept in memory. */
  async record(): Promise<NoticesRecord> {
    if (this.known) return this.known;
    const kept = (await this.deps.table.get(this.deps.guildId)) ?? {};
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
      const { table, commit, guildId } = this.deps;
      // If the write fails, it may still have been stored. So the record must be read again.
      this.known = undefined;
      for (;;) {
        const [row = absent(guildId)] = await table.read([guildId]);
        const next = change(row.value ?? {});
        if (await commit([next ? table.put(row, next) : table.remove(row)], alsoIfRecordChanged)) {
          this.known = next ?? {};
          return;
        }
        if (!alsoIfRecordChanged) throw new ConflictError();
      }
    });
  }

  /** Records the changed fields. */
  private keep(change: (before: NoticesRecord) => NoticesRecord): Promise<void> {
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
    await this.deps.messenger.send(channelId, serverNotice(what, guild.settings.language), nonce, { signal });
  }

  /** Posts the notice in the alert channel. Returns whether it was posted. */
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

  /** Records that the store cannot be read. Tells the channel once: at once, or after 10 minutes if the store is down. */
  async storeFailed(guild: Guild, problem: StoreProblem): Promise<void> {
    const { now } = this.deps;
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

  /**
   * Tells the server's owner once about a lasting problem.
   *
   * @param keep records the state. It is first called before the owner is told, so that a repeat after a crash has the same
   * nonce
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

  /** Tells the owner once that nothing can be posted in the alert channel. */
  async channelFailed(guild: Guild, reason: BlockedReason): Promise<void> {
    const { blocked: before } = await this.record();
    const channelId = guild.alerts?.channelId ?? "";
    const keep = (told: Told) => this.keep(() => ({ blocked: { ...told, reason } }));
    const notice = (server: string) => ({ about: reason, server, channelId });
    await this.ownerOnce({ guild, channelId, cause: [reason], before }, keep, notice);
  }

  /** Tells the owner once that nothing can be posted in a rule's channel, or that its history may not be read. */
  async ruleFailed(guild: Guild, rule: Rule, reason: BlockedReason, isHistory: boolean): Promise<void> {
    const { routes = {} } = await this.record();
    // A missing permission causes one notice, whether posting or reading the history needs it.
    if (routes[rule.id]?.told || (reason === "forbidden" && routes[historyOf(rule)]?.told)) return;
    const key = isHistory ? historyOf(rule) : rule.id;
    const about = reason === "forbidden" ? "route_forbidden" : "route_channel_gone";
    const { channelId, name, style } = rule;
    await this.ownerOnce(
      { guild, channelId, cause: [reason, rule.id], before: routes[key] },
      (told) => this.keepRule(guild, key, told),
      (server) => ({ about, server, channelId, rule: name, style }),
    );
  }

  /** Tells the owner once that a digest cannot be posted in the channel chosen for digests. */
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

  /** Ends the problem of a rule's channel: something was posted there or, with `isHistory`, its history was read. */
  async ruleWorks(rule: Rule, isHistory = false): Promise<void> {
    const key = isHistory ? historyOf(rule) : rule.id;
    if (!(await this.record()).routes?.[key]) return;
    await this.keep(({ routes: { [key]: _, ...others } = {} }) => ({ routes: others }));
  }

  /** Records the problem of a rule, and forgets problems of removed rules. */
  private async keepRule(guild: Guild, key: string, told: Told) {
    const present = new Set(keysOf(guild));
    await this.keep((before) => {
      const others = Object.entries(before.routes ?? {}).filter(([id]) => present.has(id));
      return { routes: { ...Object.fromEntries(others), [key]: told } };
    });
  }

  /** Returns true if the owner was told, or can never be told. */
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
      this.deps.log.warn({ err: error, guild: this.deps.guildId }, message);
    }
  }

  async channelWorks(): Promise<void> {
    if ((await this.record()).blocked) await this.keep(() => ({ blocked: undefined }));
  }

  /** Must be called when the storage may have changed without this object. */
  forgetMemory() {
    this.known = undefined;
  }

  /** Forgets what people were told about alerts. What the owner was told about a digest stays. */
  alertsOff(): Promise<void> {
    return this.write(({ digest }) => digest && { digest });
  }

  clear(): Promise<void> {
    return this.write(() => undefined);
  }
}
