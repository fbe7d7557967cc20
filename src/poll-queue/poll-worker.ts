import { type Job, UnrecoverableError, Worker } from "bullmq";
import { z } from "zod";
import type { Alerts } from "../alerts/alerts.ts";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import type { Vitals } from "../basics/vitals.ts";
import { everyone } from "./notes.ts";
import { connectRedis, type PollQueue, type Polls, queueName, type Tick } from "./poll-queue.ts";
import { lockMs } from "./slot-hold.ts";
import { createSlotRoster } from "./slot-roster.ts";
import { createSlotShares, shareEveryMs } from "./slot-shares.ts";
import { createSlotTicks } from "./slot-ticks.ts";
import { createSlotTurn } from "./slot-turn.ts";
import { slotCount } from "./slots.ts";

/** A job whose workers died so often is given up; the next tick makes another one. */
const mostStalled = 10;
/** With a lock of 20 s, the servers of a worker that died are polled again within 30 s. */
const stalledEveryMs = 5_000;
/** How often it is seen to that every slot has its ticks: with half a minute for a tick, polls go on within a minute after Redis was emptied. */
const tendEveryMs = 30_000;
/** A worker that may not poll leaves the jobs to those that may; and a clock that was set back is noticed. */
const lookEveryMs = 1_000;
/** After a fault of Redis. */
const restMs = 5_000;
/** Where that was not even tried so often, the process does nothing any more. */
const missedTends = 10;

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

const jobSchema = z.object({
  slot: z
    .int()
    .min(0)
    .max(slotCount - 1),
  at: z.number().optional(),
});

/** What no process of this bot has made is not tried again. */
function parseJob(data: unknown) {
  const job = jobSchema.safeParse(data);
  if (!job.success) throw new UnrecoverableError("this is no job of Shopbell");
  return job.data;
}

const isPolls = (job: Job<Tick | Polls>): job is Job<Polls> => "at" in job.data;
/** BullMQ names a scheduler's job after the scheduler and the time at which it is due. */
const dueAt = (job: Job) => Number(job.id?.split(":").at(-1));

/**
 * BullMQ's worker. It asks Redis again at once where Redis refuses (read-only, out of memory), thousands of times a second:
 * so after a fault it rests, and what is the same fault is said once.
 */
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
  let isWanted = false;
  let said = "";
  let resting: NodeJS.Timeout | undefined;

  function go() {
    resting = undefined;
    if (isWanted) void worker.resume();
  }

  worker.on("error", (error) => {
    if (connection.status === "ready" && error.message !== said) {
      said = error.message;
      log.warn({ err: error }, "the queue reports a fault; what is due stays due");
    }
    if (resting) return;
    void worker.pause(true);
    resting = setTimeout(go, restMs);
  });
  worker.on("completed", () => {
    said = "";
  });
  worker.on("failed", (job, error) => {
    log.error({ err: error, job: job?.name, slot: job?.data.slot }, "a job of the queue failed; it is tried again");
  });

  return {
    /** Takes jobs, or leaves them to others. */
    want(isTaking: boolean) {
      if (isTaking === isWanted) return;
      isWanted = isTaking;
      if (!isTaking) void worker.pause(true);
      else if (!resting) go();
    },
    /** Whether what was under way has ended within so many ms. */
    async end(withinMs: number): Promise<boolean> {
      isWanted = false;
      clearTimeout(resting);
      const closed = worker.close().then(() => true);
      const hasEnded = await withDeadline(closed, withinMs, false);
      connection.disconnect();
      return hasEnded;
    },
  };
}

export function createPollWorker(deps: PollWorkerDeps): PollWorker {
  const { queue, alerts, log, isMine } = deps;
  const roster = createSlotRoster(alerts, () => void (tending && tend()));
  const ticks = createSlotTicks(queue, { servers: (version) => roster.servers(version), log });
  const turn = createSlotTurn({ ...deps, roster });
  const shares = createSlotShares(queue, log);
  let tending: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let sharing: NodeJS.Timeout | undefined;
  let isTended = false;
  let beats = 0;

  async function tend() {
    isTended = await ticks.tend();
  }

  async function work(job: Job<Tick | Polls>, token: string) {
    const { slot } = parseJob(job.data);
    if (isPolls(job)) return turn(job, token);
    await queue.notes.due(slot, everyone);
    await queue.addPolls(slot, dueAt(job));
  }

  const worker = createWorker(deps, work);
  queue.onBack(() => void (tending && tend()));

  return {
    async start() {
      await tend();
      tending = setInterval(() => {
        beats++;
        void tend();
      }, tendEveryMs);
      worker.want(isMine());
      looking = setInterval(() => {
        worker.want(isMine());
        if (ticks.wasSetBack()) void tend();
      }, lookEveryMs);
      sharing = setInterval(() => {
        // Where it fails Redis is away, and the connection says so.
        if (isMine()) shares.even().catch(() => undefined);
      }, shareEveryMs);
    },
    async end(withinMs) {
      clearInterval(tending);
      clearInterval(looking);
      clearInterval(sharing);
      return worker.end(withinMs);
    },
    notReady() {
      if (!queue.isConnected() || !isTended) return "polls: the queue's Redis does not answer, or refuses";
      return isMine()
        ? undefined
        : "polls: no right to poll on this storage; does it answer, and is a bot without QUEUE_URL there?";
    },
    pulses: () => (tending ? [{ name: "polls", beats, longestSilenceMs: missedTends * tendEveryMs }] : []),
  };
}
