import { type Job, Worker } from "bullmq";
import type { Alerts } from "../alerts/alerts.ts";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import type { Vitals } from "../basics/vitals.ts";
import { everyone } from "./notes.ts";
import { connectRedis, type PollQueue, type Polls, queueName, type Tick } from "./poll-queue.ts";
import { lockMs } from "./slot-hold.ts";
import { createSlotRoster } from "./slot-roster.ts";
import { createSlotTicks } from "./slot-ticks.ts";
import { createSlotTurn } from "./slot-turn.ts";
import { slotCount } from "./slots.ts";

/** A job whose workers died so often is given up; the next tick makes another one. */
const mostStalled = 10;
/** With a lock of 20 s, the servers of a worker that died are polled again within 30 s. */
const stalledEveryMs = 5_000;
/** How often it is seen to that every slot has its ticks. */
const tendEveryMs = 60_000;
/** Where that was not even tried so often, the process does nothing any more. */
const missedTends = 5;

export interface PollWorkerDeps {
  /** QUEUE_URL. */
  readonly url: string;
  readonly queue: PollQueue;
  readonly alerts: Pick<Alerts, "poll" | "settled" | "guildIds" | "rosterChanged">;
  /** Whether the storage is this queue's to poll on. */
  isMine(): boolean;
  readonly log: Log;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** Takes jobs off the queue and polls. */
export interface PollWorker extends Vitals {
  /** Sees to it that every slot has its ticks, and begins to take jobs. Never rejects. */
  start(): Promise<void>;
  /**
   * Takes no more jobs; resolves to whether what was under way has ended within so many ms. What has not keeps its lock,
   * so that no other worker begins while a send may be under way.
   */
  end(withinMs: number): Promise<boolean>;
}

const isPolls = (job: Job<Tick | Polls>): job is Job<Polls> => "at" in job.data;
/** BullMQ names a scheduler's job after the scheduler and the time at which it is due. */
const dueAt = (job: Job) => Number(job.id?.split(":").at(-1));

/** BullMQ's worker, which says what goes wrong once. */
function createWorker(
  { url, queue, log }: PollWorkerDeps,
  work: (job: Job<Tick | Polls>, token: string) => Promise<void>,
) {
  const connection = connectRedis(url, log, { maxRetriesPerRequest: null });
  const worker = new Worker<Tick | Polls>(queueName, (job, token = "") => work(job, token), {
    connection,
    ...queue.settings,
    autorun: false,
    // A turn waits for most of its time: all slots may fall to one worker, and their ticks with them.
    concurrency: 2 * slotCount,
    lockDuration: lockMs,
    // The hold renews the lock itself, for it has to know when that was.
    skipLockRenewal: true,
    stalledInterval: stalledEveryMs,
    maxStalledCount: mostStalled,
  });
  worker.on("error", (error) => {
    if (connection.status === "ready") log.warn({ err: error }, "the queue reports a fault; the next tick goes on");
  });
  worker.on("failed", (job, error) => {
    log.error({ err: error, job: job?.name, slot: job?.data.slot }, "a job of the queue failed; it is tried again");
  });
  return { worker, connection };
}

export function createPollWorker(deps: PollWorkerDeps): PollWorker {
  const { queue, alerts, log } = deps;
  const roster = createSlotRoster(alerts, () => void (timer && tend()));
  const tend = createSlotTicks(queue, { servers: (version) => roster.servers(version), log });
  const turn = createSlotTurn({ ...deps, roster });
  let timer: NodeJS.Timeout | undefined;
  let beats = 0;

  async function work(job: Job<Tick | Polls>, token: string) {
    beats++;
    if (isPolls(job)) return turn(job, token);
    const { slot } = job.data;
    await queue.notes.due(slot, everyone);
    await queue.addPolls(slot, dueAt(job));
  }

  const { worker, connection } = createWorker(deps, work);
  return {
    async start() {
      await tend();
      timer = setInterval(() => {
        beats++;
        void tend();
      }, tendEveryMs);
      void worker.run();
    },
    async end(withinMs) {
      clearInterval(timer);
      const hasEnded = await withDeadline(
        worker.close().then(() => true),
        withinMs,
        false,
      );
      connection.disconnect();
      return hasEnded;
    },
    notReady: () => (queue.isConnected() ? undefined : "polls: the queue's Redis cannot be reached"),
    pulses: () => (timer ? [{ name: "polls", beats, longestSilenceMs: missedTends * tendEveryMs }] : []),
  };
}
