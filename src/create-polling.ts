import { setTimeout as delay } from "node:timers/promises";
import { Alerts } from "./alerts/alerts.ts";
import { withDeadline } from "./basics/deadline.ts";
import type { Health } from "./basics/health.ts";
import type { Log } from "./basics/log.ts";
import type { Metrics } from "./basics/metrics.ts";
import type { Config } from "./config.ts";
import { createGuilds, type Guilds } from "./guilds/guilds.ts";
import type { Vault } from "./guilds/vault.ts";
import { readTakes } from "./handling/takes.ts";
import type { Messenger } from "./outbox/messenger.ts";
import { noticesTable } from "./outbox/notices.ts";
import { createActiveGuilds } from "./polling/active-guilds.ts";
import { createPartitionHolder, type PartitionHolder } from "./polling/partition-holder.ts";
import { Partitions } from "./polling/partitions.ts";
import { createProcessLease } from "./polling/process-lease.ts";
import { createSchedule } from "./polling/schedule.ts";
import { partitionOf } from "./storage/polled-servers.ts";
import type { Storage } from "./storage/table.ts";
import type { StoreApi } from "./store-api/store-api.ts";

/** Time for polls and answers under way to end by themselves. Others are recorded, and continue at the next start. */
const settleDeadlineMs = 2_500;

/** Whether the work ended within 2.5 s. */
export const settles = (work: Promise<unknown>): Promise<boolean> =>
  withDeadline(
    work.then(() => true),
    settleDeadlineMs,
    false,
  );

/** Changes of a server's channels within this time are handled together. */
const changesTogetherMs = 1_000;

export interface PollingDeps {
  readonly config: Pick<Config, "pollSchedule" | "queueUrl" | "role">;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly storeApi: StoreApi;
  readonly messenger: Messenger;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** The bot's id. It keeps bots apart that share a queue's Redis. */
  readonly applicationId: string;
  /** Throws if the data is no longer what this process works with. */
  assertPrepared(): Promise<void>;
  /** Called when this process begins to poll. Servers and keys may have been added before. */
  onHeld(): void;
  /** Called when another process changed records. */
  onChanged(): void;
}

/** The alerts, and their polling by this process or by the workers of a queue. */
export interface Polling {
  /** The servers' records. The process that polls a server hears of each change. */
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  readonly health: Health;
  /** Checks, right before a request is sent, whether this process's lease is over. Cheap. */
  look(): void;
  /** Resolves once it polls, or knows that another process does. Never rejects. */
  begin(): Promise<void>;
  /** Begins no further poll. Resolves when the work under way has ended, or can be left to others. */
  end(): Promise<void>;
  /** Called when the alerts are no longer used. */
  close(): Promise<void>;
}

/** A polling process checks the data when it renews its lease; others check it this often. */
const lookEveryMs = 60_000;

/** Has a process that does not poll check regularly whether the data is still what it works with. */
function keepLooking({ assertPrepared, signal, log }: PollingDeps) {
  const look = () =>
    assertPrepared().catch((error: unknown) => log.warn({ err: error }, "the data could not be looked at"));
  const timer = setInterval(look, lookEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Returns a function that tells the process that polls a server that its channels changed, if messages wait for a channel. */
function createChannelChangesTeller({ storage, signal, log }: PollingDeps, touch: (guildId: string) => Promise<void>) {
  const waiting = new Set<string>();

  /** Whether Discord refuses messages in the alert channel or a rule's channel. A notice about a rule may outlive the rule. */
  async function isRefused(guildId: string): Promise<boolean> {
    const { blocked, routes = {} } = (await storage.table(noticesTable).get(guildId)) ?? {};
    return blocked !== undefined || Object.keys(routes).length > 0;
  }

  /** Changes come by the hundred, so all within a second are handled once. */
  async function changed(guildId: string) {
    if (waiting.has(guildId)) return;
    waiting.add(guildId);
    await delay(changesTogetherMs, undefined, { signal }).finally(() => waiting.delete(guildId));
    if (await isRefused(guildId)) await touch(guildId);
  }

  return (guildId: string) => {
    changed(guildId).catch((error: unknown) => {
      if (signal.aborted) return;
      log.warn({ err: error, guild: guildId }, "the process that polls could not be told that a channel was changed");
    });
  };
}

/** Makes the alerts, the partitions and the schedule. */
function createParts(deps: PollingDeps, onLost: (partition: number) => void) {
  const { config, storage, vault, storeApi, log } = deps;
  const membership = createProcessLease({ storage, shares: config.queueUrl !== undefined });
  const partitions: Partitions = new Partitions({
    storage,
    membership,
    log,
    onServers: (guildIds) => schedule.spread(guildIds),
    onChanged(guildIds) {
      alerts.changedElsewhere(guildIds);
      deps.onChanged();
    },
    onLost(partition) {
      alerts.forgetMemory((guildId) => partitionOf(guildId) === partition);
      onLost(partition);
    },
  });
  const roster = createActiveGuilds(storage, (written) => partitions.wrote(written));
  const guilds = createGuilds({ storage, vault, announcementOf: (guildId) => roster.announcementOf(guildId) });
  const touchChanged = createChannelChangesTeller(deps, (guildId) => roster.touch(guildId));
  const isElsewhere = (guildId: string) => partitions.leaseOf(guildId).epoch() === undefined;
  const alerts: Alerts = new Alerts({
    ...deps,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    guilds,
    roster,
    takesOf: (guildId, orderIds) => readTakes(storage, guildId, orderIds),
    storeOf(guild) {
      const token = guilds.tokenOf(guild);
      return token === undefined ? undefined : storeApi.forToken(token, "background");
    },
    leaseOf: (guildId) => partitions.leaseOf(guildId),
    pollSoon: (guildId) => schedule.pollSoon(guildId),
    onChannelsChanged: (guildId) => isElsewhere(guildId) && touchChanged(guildId),
  });
  let roundAt: number | undefined;
  const schedule = createSchedule({
    expression: config.pollSchedule,
    guildIds() {
      roundAt = Date.now();
      return partitions.guildIds();
    },
    poll: (guildId) => alerts.poll(guildId),
    log,
  });
  return { guilds, membership, partitions, alerts, schedule, roundAt: () => roundAt };
}

/** Sets up polling by this process, and by others that share its storage and perhaps a queue. */
export async function createPolling(deps: PollingDeps): Promise<Polling> {
  const { config, log, signal, storage, applicationId } = deps;
  const { queueUrl: url } = config;
  const { guilds, partitions, alerts, schedule, ...parts } = createParts(deps, (partition) => jobs?.lost(partition));
  const polls = config.role !== "gateway";
  // Loaded only if it is used: the queue's libraries take 30 MB.
  const queue = url === undefined ? undefined : (await import("./poll-queue/partition-queue.ts")).createPartitionQueue;
  const prefix = `shopbell:${applicationId}`;
  const jobs = queue?.({
    url: url ?? "",
    prefix,
    storage,
    log,
    signal,
    onJob: polls ? () => holding.hurry() : undefined,
    isHeld: (partition) => partitions.numbers.includes(partition),
  });
  const holding: PartitionHolder = createPartitionHolder({
    ...deps,
    ...parts,
    partitions,
    // Without its Redis the queue gives out no jobs. Then each worker takes free partitions, up to its share.
    wanted: (partition) => jobs === undefined || jobs.has(partition) || jobs.notReady() !== undefined,
    shares: jobs !== undefined,
    onShare: (share) => jobs?.share(share),
    settles: (partition) => settles(alerts.settled((guildId) => partitionOf(guildId) === partition)),
  });
  return {
    guilds,
    alerts,
    health: {
      notReady: () => jobs?.notReady() ?? (polls ? (holding.notReady() ?? schedule.notReady()) : undefined),
      heartbeats: () => (polls && partitions.numbers.length > 0 ? schedule.heartbeats() : []),
    },
    look: () => partitions.look(),
    async begin() {
      await jobs?.begin();
      if (!polls) return keepLooking(deps);
      if (!signal.aborted) schedule.start();
      await holding.begin();
    },
    async end() {
      if (!polls) return;
      schedule.stop();
      jobs?.pause();
      // No other process may begin while a send may be under way. In that case the lease ends by itself.
      await holding.end();
    },
    close: async () => jobs?.close(),
  };
}
