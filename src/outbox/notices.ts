import { z } from "zod";
import { Mutex } from "../basics/limits/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import { absent, type Commit, type Table, type TableShape } from "../storage/table.ts";
import { type ServerNotice, serverNotice } from "../views/alerts/server-notice.ts";
import type { FailureCode, ServerContext } from "./context.ts";
import type { Destination } from "./destination.ts";
import { MessengerError, type MessengerFailure, nonceFor } from "./messenger.ts";

export type BlockedReason = Extract<MessengerFailure, "channel_gone" | "forbidden">;

export const blocksChannel = (code: MessengerFailure): code is BlockedReason =>
  code === "channel_gone" || code === "forbidden";

/** `told` is also true if the notice can never be delivered. `since` is epoch ms. */
const toldSchema = z.object({ since: z.number(), told: z.boolean() });
type Told = Readonly<z.infer<typeof toldSchema>>;

const healthSchema = z.object({
  /** When a poll last read page 1 of at least one list. */
  lastGoodAt: z.number().optional(),
  lastError: z.object({ code: z.custom<FailureCode>((value) => typeof value === "string"), at: z.number() }).optional(),
});

/** Times are epoch ms. */
export type HealthReport = z.infer<typeof healthSchema>;

export const isFailing = ({ lastGoodAt = Number.NEGATIVE_INFINITY, lastError }: HealthReport): boolean =>
  lastError !== undefined && lastError.at > lastGoodAt;

/** While polls fail in the same way, a report is stored at most once in this time. */
const reportEveryMs = 60_000;

const problemsSchema = z.record(z.string(), toldSchema);

const storeProblems = ["storeDown", "refused", "keyLost"] as const;
type StoreProblem = (typeof storeProblems)[number];
/** The key of the alert channel's problem. For another channel that a rule chose, the key is the rule's id. */
const alertsKey = "blocked";
const digestPrefix = "digest ";

const recordSchema = z
  .object({
    problems: problemsSchema.optional(),
    health: healthSchema.optional(),
    // Earlier versions wrote the following fields, one for each sort of problem.
    storeDown: toldSchema.optional(),
    refused: toldSchema.optional(),
    keyLost: toldSchema.optional(),
    blocked: toldSchema.optional(),
    routes: problemsSchema.optional(),
    digest: toldSchema.extend({ plan: z.number() }).optional(),
  })
  .transform(({ problems, health, routes, digest, ...former }) => {
    const all: Record<string, Told> = { ...routes };
    if (digest) all[digestPrefix + digest.plan] = { since: digest.since, told: digest.told };
    for (const [key, told] of Object.entries(former)) if (told) all[key] = told;
    return { ...(health && { health }), problems: { ...all, ...problems } };
  });

/** Stored, so that a restart repeats no notice. When alerts are turned off, only problems of digests stay. */
export type NoticesRecord = Readonly<z.infer<typeof recordSchema>>;
type NoticesChange = (before: NoticesRecord) => NoticesRecord | undefined;

/** Keys are server ids. If a record is malformed, people may get a notice a second time, but alerts go on. */
export const noticesTable: TableShape<NoticesRecord> = {
  name: "trouble",
  schema: recordSchema.catch({ problems: {} }),
  version: 1,
};

export type Place = Pick<Destination, "channelId" | "rule" | "digest">;

/** Undefined if no setting names the channel any more. */
function problemKeyOf({ alerts }: Guild, { channelId, rule, digest }: Place): string | undefined {
  if (digest) return digestPrefix + digest.since;
  return channelId === alerts?.channelId ? alertsKey : rule?.id;
}

const channelsOf = ({ alerts, routes = [], digest }: Guild): ReadonlyMap<string, string> =>
  new Map([
    ...(alerts ? [[alertsKey, alerts.channelId] as const] : []),
    ...routes.map(({ id, channelId }) => [id, channelId] as const),
    ...(digest?.plan ? [[digestPrefix + digest.plan.since, digest.plan.channelId] as const] : []),
  ]);

export const isRefused = ({ problems }: NoticesRecord, guild: Guild): boolean =>
  Object.keys(problems).some((key) => channelsOf(guild).has(key));

/** When the store began to refuse the token, and when messages to each channel began to fail (epoch ms). */
export const refusals = ({ problems }: NoticesRecord, guild: Guild) => ({
  refusedSince: problems.refused?.since,
  blockedSince: problems[alertsKey]?.since,
  blockedElsewhere: new Map(
    [...channelsOf(guild)].flatMap(([key, channelId]) => {
      const since = problems[key]?.since;
      return since === undefined || key === alertsKey ? [] : [[channelId, since] as const];
    }),
  ),
});

/** When a store has been down for so long, the alert channel is told. */
const storeDownNoticeMs = 10 * 60_000;

const aboutOf = { storeDown: "store_down", refused: "token_refused", keyLost: "key_lost" } as const;

function channelNotice(
  key: string,
  { channelId, rule, digest }: Place,
  reason: BlockedReason,
  server: string,
): ServerNotice {
  if (rule?.id === key) return { about: `route_${reason}`, server, channelId, rule: rule.name, style: rule.style };
  return { about: digest ? `digest_${reason}` : reason, server, channelId };
}

/** Tells people about each problem once. */
export class Notices {
  private readonly server: ServerContext;
  private readonly table: Table<NoticesRecord>;
  private readonly writes = new Mutex();
  private memory: { known?: NoticesRecord } = {};

  constructor(server: ServerContext) {
    this.server = server;
    this.table = server.storage.table(noticesTable);
  }

  /**
   * Waits for a write that is under way, because a read during the write may return the old row. If `forgetMemory` is called
   * during the read, the result is not remembered.
   */
  async record(): Promise<NoticesRecord> {
    const read = async () => {
      const { memory } = this;
      memory.known ??= (await this.table.get(this.server.guildId)) ?? { problems: {} };
      return memory.known;
    };
    return this.memory.known ?? this.writes.run(read);
  }

  /**
   * Replaces the stored row, or deletes it if `change` returns undefined or no store is connected. Tries again after a refused
   * commit.
   */
  private write(change: NoticesChange): Promise<void> {
    return this.writes.run(async () => {
      for (let isDone = false; !isDone; ) isDone = await this.writeOnce(change, this.server.commitHappened);
    });
  }

  /** `change` gets the stored row, because another process may have changed it. Returns false if the commit was refused. */
  private async writeOnce(change: NoticesChange, commit: Commit): Promise<boolean> {
    const { guildId, guilds } = this.server;
    // A failed write may still have been stored.
    this.forgetMemory();
    const { memory, table } = this;
    const connected = await guilds.mayKeep(guildId);
    const [row = absent(guildId)] = await table.read([guildId]);
    const next = connected && change(row.value ?? { problems: {} });
    const isDone = await commit([...(connected ?? []), next ? table.put(row, next) : table.remove(row)]);
    if (isDone) memory.known = next ?? { problems: {} };
    return isDone;
  }

  /** Records the problem if it is new. Returns what is recorded about it. */
  private async begin(guild: Guild, key: string): Promise<Told> {
    const present = new Set<string>([...storeProblems, ...channelsOf(guild).keys()]);
    let begun: Told = { since: this.server.now(), told: false };
    await this.write(({ problems, ...others }) => {
      begun = problems[key] ?? begun;
      const kept = Object.entries(problems).filter(([name]) => present.has(name));
      return { ...others, problems: { ...Object.fromEntries(kept), [key]: begun } };
    });
    return begun;
  }

  private told(key: string, since: number): Promise<void> {
    return this.write(({ problems, ...others }) => {
      const isStill = problems[key]?.since === since;
      return { ...others, problems: isStill ? { ...problems, [key]: { since, told: true } } : problems };
    });
  }

  /** Forgets these problems, so that people are told if one of them comes back. */
  private async end(keys: readonly string[]): Promise<void> {
    const { problems } = await this.record();
    if (!keys.some((key) => key in problems)) return;
    await this.write((before) => {
      const left = Object.entries(before.problems).filter(([key]) => !keys.includes(key));
      return { ...before, problems: Object.fromEntries(left) };
    });
  }

  /**
   * The time of the problem is recorded first, so that the notice has the same nonce if it is repeated after a crash.
   *
   * @param tell returns whether people were told
   */
  private async once(guild: Guild, key: string, tell: (since: number) => Promise<boolean>): Promise<void> {
    const { since, told } = (await this.record()).problems[key] ?? (await this.begin(guild, key));
    if (!told && (await tell(since))) await this.told(key, since);
  }

  /**
   * Throws `MessengerError`.
   *
   * @param at when the cause began (epoch ms). For a few minutes, Discord drops a second notice with the same cause, time and
   * channel
   */
  async announce(guild: Guild, channelId: string, what: ServerNotice, at: number, signal?: AbortSignal): Promise<void> {
    const nonce = nonceFor(guild.id, channelId, [what.about, String(at)]);
    await this.server.messenger.send(channelId, serverNotice(what, guild.settings.language), nonce, { signal });
  }

  private async tellChannel(guild: Guild, what: ServerNotice, since: number): Promise<boolean> {
    if (!guild.alerts) return false;
    try {
      await this.announce(guild, guild.alerts.channelId, what, since, this.server.lease.signal());
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

  storeFailed(guild: Guild, problem: StoreProblem): Promise<void> {
    return this.once(guild, problem, async (since) => {
      const isDue = problem !== "storeDown" || this.server.now() - since >= storeDownNoticeMs;
      return isDue && (await this.tellChannel(guild, { about: aboutOf[problem], since }, since));
    });
  }

  /** If the alert channel was told about a failure, tells it that the store is back. `arrived`: number of new orders. */
  async storeAnswered(guild: Guild, arrived: number): Promise<void> {
    const { problems } = await this.record();
    const told = storeProblems.map((key) => problems[key]).find((problem) => problem?.told);
    // Recorded before the notice is sent, so that a kill does not repeat the notice. If the notice is lost, the next alerts
    // show that the store is back.
    await this.end(storeProblems);
    if (told) await this.tellChannel(guild, { about: "store_back", arrived }, told.since);
  }

  /** Called if messages cannot be posted in this channel, or if its history cannot be read. Tells the owner once. */
  async channelFailed(guild: Guild, place: Place, reason: BlockedReason): Promise<void> {
    const key = problemKeyOf(guild, place);
    if (key === undefined) return;
    await this.once(guild, key, (since) => {
      const nonce = nonceFor(guild.id, place.channelId, [reason, key, String(since)]);
      return this.tellOwner(guild, nonce, (server) => channelNotice(key, place, reason, server));
    });
  }

  async channelWorks(guild: Guild, channelId: string): Promise<void> {
    await this.end([...channelsOf(guild)].flatMap(([key, id]) => (id === channelId ? [key] : [])));
  }

  /** Returns true if the owner was told or can never be told. */
  private async tellOwner(guild: Guild, nonce: string, notice: (server: string) => ServerNotice): Promise<boolean> {
    const make = (server: string) => serverNotice(notice(server), guild.settings.language);
    try {
      await this.server.messenger.tellOwner(guild.id, make, nonce);
      return true;
    } catch (error) {
      this.notDelivered(notice("").about, error);
      return error instanceof MessengerError && error.code === "forbidden";
    }
  }

  /** Tells other processes how the polls go. Never rejects. */
  async report({ lastGoodAt, lastError }: HealthReport): Promise<void> {
    try {
      const { health: before = {} } = await this.record();
      const next = { lastGoodAt: lastGoodAt ?? before.lastGoodAt, lastError: lastError ?? before.lastError };
      const isSame = isFailing(next) === isFailing(before) && next.lastError?.code === before.lastError?.code;
      if (isSame && (next.lastError?.at ?? 0) - (before.lastError?.at ?? 0) < reportEveryMs) return;
      // `/alerts off` in another process deletes the row. A report must not create it again.
      await this.writes.run(() => this.writeOnce((stored) => ({ ...stored, health: next }), this.server.commit));
    } catch (error) {
      if (error instanceof ConflictError) return;
      const message = "could not record the state of the polls for other processes";
      this.server.log.warn({ err: error, guild: this.server.guildId }, message);
    }
  }

  /** Another process may have changed the record. */
  forgetMemory() {
    this.memory = {};
  }

  alertsOff(): Promise<void> {
    return this.write(({ problems }) => {
      const left = Object.entries(problems).filter(([key]) => key.startsWith(digestPrefix));
      return left.length > 0 ? { problems: Object.fromEntries(left) } : undefined;
    });
  }
}
