import { Alerts } from "./alerts/alerts.ts";
import type { Health } from "./basics/health.ts";
import { withDeadline } from "./basics/limits/deadline.ts";
import { sleep } from "./basics/limits/sleep.ts";
import type { Log } from "./basics/log.ts";
import type { Metrics } from "./basics/metrics.ts";
import type { Config } from "./config.ts";
import { createGuilds, type Guilds } from "./guilds/guilds.ts";
import { createReencryption } from "./guilds/reencryption.ts";
import type { Vault } from "./guilds/vault.ts";
import type { Messenger } from "./outbox/messenger.ts";
import { isRefused, noticesTable } from "./outbox/notices.ts";
import { HeldPartitions } from "./polling/held-partitions.ts";
import { PartitionTaker } from "./polling/partition-taker.ts";
import { createProcessLease } from "./polling/process-lease.ts";
import { createSchedule } from "./polling/schedule.ts";
import { partitionOf } from "./storage/polled-servers.ts";
import type { Storage } from "./storage/table.ts";
import type { StoreApi } from "./store-api/store-api.ts";

/**
 * Longest wait for running polls when this process ends or gives servers to another process. At the end of the process, this
 * wait leaves 0.8 s of the first shutdown step (operations/shutdown.ts) to release the lease.
 */
const settleDeadlineMs = 2_500;

/** Discord can announce hundreds of changes at once. Changes of a server's channels within this time are handled together. */
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
  /** A part of each key in the queue's Redis, so several bots can use one Redis. */
  readonly applicationId: string;
  /** Throws if the data has another version than this process, or if an import was cut short. */
  assertPrepared(): Promise<void>;
}

export interface Polling {
  /** Changes are announced to the process that polls the server. */
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  readonly health: Health;
  /** Gives up all partitions if this process's lease is over. Called right before requests to Discord, so it must be fast. */
  look(): void;
  /** Resolves after the first attempt to take partitions. Throws `DataError` if the queue belongs to another storage. */
  begin(): Promise<void>;
  /** Resolves when the running work has ended or can be left to another process. */
  end(): Promise<void>;
  /** Must be called when the alerts are no longer used. */
  close(): Promise<void>;
}

/**
 * Time between two calls of `assertPrepared` in a process that does not poll. A process that polls calls it before each renewal
 * of its lease.
 */
const lookEveryMs = 5_000;

function keepLooking({ assertPrepared, signal, log }: PollingDeps): Health["notReady"] {
  let reason: string | undefined;
  async function look() {
    try {
      await assertPrepared();
      reason = undefined;
    } catch (error) {
      reason = "storage: no answer";
      log.warn({ err: error }, "could not read the version of the data; trying again");
    }
  }
  const timer = setInterval(look, lookEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  return () => reason;
}

function createChannelChangesTeller({ storage, signal, log }: PollingDeps, guilds: Pick<Guilds, "get" | "touch">) {
  const waiting = new Set<string>();

  async function changed(guildId: string) {
    if (waiting.has(guildId)) return;
    waiting.add(guildId);
    await sleep(changesTogetherMs, signal).finally(() => waiting.delete(guildId));
    const notices = await storage.table(noticesTable).get(guildId);
    if (notices && isRefused(notices, await guilds.get(guildId))) await guilds.touch(guildId);
  }

  return (guildId: string) => {
    changed(guildId).catch((error: unknown) => {
      if (signal.aborted) return;
      log.warn({ err: error, guild: guildId }, "could not tell the polling process about a changed channel");
    });
  };
}

function createParts(deps: PollingDeps, onLost: (partition: number) => void) {
  const { config, storage, vault, storeApi, log } = deps;
  const membership = createProcessLease({ storage, shares: config.queueUrl !== undefined });
  const partitions: HeldPartitions = new HeldPartitions({
    storage,
    membership,
    log,
    signal: deps.signal,
    onServers: (guildIds) => schedule.spread(guildIds),
    onChanged: (guildIds) => alerts.changedElsewhere(guildIds),
    onLost(partition) {
      alerts.forgetMemory((guildId) => partitionOf(guildId) === partition);
      onLost(partition);
    },
  });
  const guilds = createGuilds({ storage, vault, onAnnounced: (announcement) => partitions.announced(announcement) });
  const reencrypt = createReencryption({ ...deps, guilds, isPolling: () => partitions.numbers.length > 0 });
  const alerts: Alerts = new Alerts({
    ...deps,
    now: Date.now,
    monotonic: () => performance.now(),
    sleep,
    random: Math.random,
    guilds,
    storeOf(guild) {
      const token = guilds.tokenOf(guild);
      return token === undefined ? undefined : storeApi.forToken(token, "background");
    },
    leaseOf: (guildId) => partitions.leaseOf(guildId),
    pollSoon: (guildId) => schedule.pollSoon(guildId),
    tellChannelsChanged: createChannelChangesTeller(deps, guilds),
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
  return { guilds, membership, partitions, alerts, schedule, reencrypt, roundAt: () => roundAt };
}

/** Other processes may use the same storage. With a queue, several processes share the polls. */
export async function createPolling(deps: PollingDeps): Promise<Polling> {
  const { config, log, signal, storage, applicationId } = deps;
  const { queueUrl: url } = config;
  const { guilds, partitions, alerts, schedule, reencrypt, ...parts } = createParts(deps, (partition) =>
    jobs?.lost(partition),
  );
  const polls = config.role !== "gateway";
  // The queue's libraries take 30 MB of memory, so they are loaded only if there is a queue.
  const queue = url === undefined ? undefined : (await import("./polling/partition-queue.ts")).createPartitionQueue;
  const prefix = `shopbell:${applicationId}`;
  const jobs = queue?.({
    url: url ?? "",
    prefix,
    storage,
    log,
    signal,
    onJob: polls ? () => taker.hurry() : undefined,
    isHeld: (partition) => partitions.numbers.includes(partition),
  });
  const taker: PartitionTaker = new PartitionTaker({
    ...deps,
    ...parts,
    partitions,
    queue: jobs,
    // Before this process began to poll, other processes may have encrypted tokens with other keys.
    onHeld: () => void reencrypt(),
    settles(partition) {
      const settled = alerts.settled((guildId) => partitionOf(guildId) === partition).then(() => true);
      return withDeadline(settled, settleDeadlineMs, false);
    },
  });
  const notReady = polls ? () => taker.notReady() ?? schedule.notReady() : keepLooking(deps);
  return {
    guilds,
    alerts,
    health: {
      notReady: () => jobs?.notReady() ?? notReady(),
      heartbeats: () => (polls && partitions.numbers.length > 0 ? schedule.heartbeats() : []),
    },
    look: () => partitions.look(),
    async begin() {
      await jobs?.begin();
      if (!polls) return;
      if (!signal.aborted) schedule.start();
      await taker.begin();
    },
    async end() {
      if (!polls) return;
      schedule.stop();
      jobs?.pause();
      // If a message to a server may still be under way, the lease is not released. So no other process polls that server
      // until the lease has ended by itself.
      await taker.end();
    },
    close: async () => jobs?.close(),
  };
}
