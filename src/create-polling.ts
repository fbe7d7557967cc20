import { setTimeout as delay } from "node:timers/promises";
import { Alerts } from "./alerts/alerts.ts";
import { withDeadline } from "./basics/deadline.ts";
import type { Log } from "./basics/log.ts";
import type { Metrics } from "./basics/metrics.ts";
import type { Vitals } from "./basics/vitals.ts";
import type { Config } from "./config.ts";
import type { Guilds } from "./guilds/guilds.ts";
import type { Vault } from "./guilds/vault.ts";
import { readTakes } from "./handling/takes.ts";
import { isInTrouble, routeTroublesTable } from "./outbox/channel-health.ts";
import type { Messenger } from "./outbox/messenger.ts";
import { troublesTable } from "./outbox/troubles.ts";
import { createLease, type Lease } from "./polling/lease.ts";
import { pollVitals } from "./polling/poll-vitals.ts";
import type { Right } from "./polling/right.ts";
import { createSchedule } from "./polling/schedule.ts";
import type { Storage } from "./storage/table.ts";
import type { StoreApi } from "./store-api/store-api.ts";

/** What a poll or an answer under way gets to end by itself; what does not is recorded and goes on at the next start. */
const settleDeadlineMs = 2_500;

/** Whether the work ended within its time. */
export const settles = (work: Promise<unknown>): Promise<boolean> =>
  withDeadline(
    work.then(() => true),
    settleDeadlineMs,
    false,
  );

/** Of what happens to a server's channels within this time, the last is what counts. */
const mendedLookMs = 1_000;
const firstTellMs = 1_000;
const longestTellMs = 60_000;

export interface PollingDeps {
  readonly config: Pick<Config, "pollSchedule" | "queueUrl" | "role">;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly guilds: Guilds;
  readonly storeApi: StoreApi;
  readonly messenger: Messenger;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Which bot this is: bots that share a queue's Redis do not meet. */
  readonly applicationId: string;
  /** Throws where the data is not what this version works with any more. */
  assertPrepared(): Promise<void>;
  /** This process has the right to poll, or shares it, from now on: servers may have come, and keys. */
  onTerm(): void;
  /** Another process changed records. */
  onChanged(): void;
}

/** Alerts, and what has them polled: this process by itself, or whoever takes the jobs of a queue. */
export interface Polling {
  readonly alerts: Alerts;
  readonly vitals: Vitals;
  /** Looks whether what this process may do is over, right before a request leaves. Cheap. */
  look(): void;
  /** Resolves once it polls, or knows that another process does. Never rejects. */
  begin(): Promise<void>;
  /** Begins no poll any more; resolves when what was under way has ended, or could be left to others. */
  end(): Promise<void>;
  /** To be called when nobody asks anything of the alerts any more. */
  close(): Promise<void>;
}

/** Whoever polls looks at the data as it renews its right to. */
const lookEveryMs = 60_000;

/** A process that does not poll looks now and then whether the data is still what this version works with. */
function keepLooking({ assertPrepared, signal, log }: PollingDeps) {
  const look = () =>
    assertPrepared().catch((error: unknown) => log.warn({ err: error }, "the data could not be looked at"));
  const timer = setInterval(look, lookEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** The alerts themselves, the same whoever has them polled. */
function alertsOf(
  deps: PollingDeps,
  by: {
    rightOf(guildId: string): Right;
    pollSoon(guildId: string): void;
    onMended?(guildId: string): void;
    onForgotten?(guildId: string): Promise<void>;
    onRoster?(): Promise<void>;
  },
): Alerts {
  const { guilds, storeApi, storage } = deps;
  return new Alerts({
    ...deps,
    takesOf: (guildId, orderIds) => readTakes(storage, guildId, orderIds),
    storeOf(guild) {
      const token = guilds.tokenOf(guild);
      return token === undefined ? undefined : storeApi.forToken(token, "nobody");
    },
    ...by,
  });
}

/** One process of all that share the storage polls at a time, by its own clock. */
function pollByLease(deps: PollingDeps): Polling {
  const { config, storage, guilds, log } = deps;
  const lease: Lease = createLease({
    storage,
    log,
    beforeTerm: () => deps.assertPrepared(),
    onTerm() {
      // Another process may have polled meanwhile, and servers may have come.
      alerts.forgetMemory();
      schedule.round();
      deps.onTerm();
    },
    onChanged() {
      alerts.forgetMemory();
      deps.onChanged();
    },
  });
  guilds.onChange((guildId) => void tellUntilHeard(guildId, () => lease.changed(), deps));
  const alerts = alertsOf(deps, {
    rightOf: () => lease,
    pollSoon: (guildId) => schedule.pollSoon(guildId),
  });
  const schedule = createSchedule({
    expression: config.pollSchedule,
    guildIds: () => alerts.guildIds(),
    poll: (guildId) => alerts.poll(guildId),
    log,
  });
  const isGateway = config.role === "gateway";
  return {
    alerts,
    vitals: isGateway ? { notReady: () => undefined, pulses: () => [] } : pollVitals(lease, schedule),
    look: () => void lease.term(),
    async begin() {
      if (isGateway) return keepLooking(deps);
      await lease.begin();
      if (!deps.signal.aborted) schedule.start();
    },
    async end() {
      schedule.stop();
      // While a send may still be under way, no other process is to begin: the lease then ends by itself.
      await lease.end({ release: await settles(alerts.idle()) });
    },
    close: async () => undefined,
  };
}

/** A change that was made is told until it is heard: whoever polls would go by the record of before for ever. */
async function tellUntilHeard(guild: string, tell: () => Promise<void>, { log, signal }: PollingDeps) {
  for (let waitMs = firstTellMs; !signal.aborted; waitMs = Math.min(2 * waitMs, longestTellMs)) {
    try {
      return await tell();
    } catch (error) {
      log.error({ err: error, guild }, "a change could not be told to whoever polls; it is told again");
    }
    await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Workers share the polls by a queue; this process is one of them, unless it only answers people. */
async function pollByQueue(deps: PollingDeps, url: string): Promise<Polling> {
  // Loaded only where it is used: the queue's libraries take 30 MB.
  const { createPollQueue } = await import("./poll-queue/poll-queue.ts");
  const { config, storage, guilds, log, signal } = deps;
  const prefix = `shopbell:${deps.applicationId}`;
  const queue = createPollQueue({ url, prefix, expression: config.pollSchedule, log });
  const { rights, notes } = queue;
  // Whoever has read the record between the one and the other has the old one.
  guilds.onChanging((guildId) => rights.changed(guildId));
  guilds.onChange((guildId) => void tellUntilHeard(guildId, () => rights.changed(guildId), deps));

  const mending = new Set<string>();

  /** Whether Discord refuses a server's alerts, or what one of its rules has to say. */
  async function isRefused(guildId: string): Promise<boolean> {
    const { blocked } = (await storage.table(troublesTable).get(guildId)) ?? {};
    if (blocked) return true;
    const known = (await storage.table(routeTroublesTable).get(guildId)) ?? {};
    if (Object.keys(known).length === 0) return false;
    // What was told of a rule may stay when that is taken away.
    const { routes = [] } = await guilds.get(guildId);
    return routes.some((route) => isInTrouble(route, known));
  }

  /** Only a server whose alerts Discord refuses waits for its channels. Changes come by the hundred: one look for all. */
  async function mended(guildId: string) {
    if (mending.has(guildId)) return;
    mending.add(guildId);
    await delay(mendedLookMs, undefined, { signal }).finally(() => mending.delete(guildId));
    if (!(await isRefused(guildId))) return;
    await rights.changed(guildId);
    queue.pollSoon(guildId);
  }

  const alerts = alertsOf(deps, {
    rightOf: (guildId) => rights.of(guildId),
    pollSoon: (guildId) => queue.pollSoon(guildId),
    onMended(guildId) {
      mended(guildId).catch((error: unknown) => {
        if (signal.aborted) return;
        log.warn({ err: error, guild: guildId }, "the workers could not be told that a channel was changed");
      });
    },
    onForgotten: (guildId) => rights.forget(guildId),
    onRoster: () => notes.rosterChanged(),
  });
  const look = () => rights.look();
  if (config.role === "gateway") {
    const notReady = () => (queue.isConnected() ? undefined : "commands: the queue's Redis cannot be reached");
    return {
      alerts,
      vitals: { notReady, pulses: () => [] },
      look,
      async begin() {
        keepLooking(deps);
        deps.onTerm();
      },
      end: async () => undefined,
      close: () => queue.close(),
    };
  }
  const { createPollWorker } = await import("./poll-queue/poll-worker.ts");
  const { createStorageClaim } = await import("./poll-queue/storage-claim.ts");
  const claim = createStorageClaim({ storage, log, check: () => deps.assertPrepared() });
  const worker = createPollWorker({ url, queue, alerts, isMine: () => claim.isMine(), log, signal });
  return {
    alerts,
    vitals: worker,
    look,
    async begin() {
      await claim.begin();
      if (signal.aborted) return;
      deps.onTerm();
      await worker.start();
    },
    async end() {
      // What has not ended by then keeps its lock: nobody else begins while a send may be under way.
      await worker.end(settleDeadlineMs);
      await claim.end();
    },
    close: () => queue.close(),
  };
}

/** By the queue where there is one. */
export async function createPolling(deps: PollingDeps): Promise<Polling> {
  const { queueUrl } = deps.config;
  return queueUrl === undefined ? pollByLease(deps) : pollByQueue(deps, queueUrl);
}
