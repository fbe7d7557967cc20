import { setTimeout as delay } from "node:timers/promises";
import { type Job, Queue, Worker } from "bullmq";
import { z } from "zod";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import { storageId } from "../storage/data-record.ts";
import { partitionCount, partitions } from "../storage/polled-servers.ts";
import { DataError } from "../storage/prepare-data.ts";
import { connectQueueRedis } from "../storage/redis-connection.ts";
import type { Storage } from "../storage/table.ts";

const queueName = "partitions";
/** BullMQ renews it by itself, every half of that; the jobs of a worker that died are given to others after it. */
const lockMs = 15_000;
const stalledEveryMs = 5_000;
/** The job of a partition has no end: it may come to any number of workers that died. */
const mostStalled = 1_000_000;
/** How often it is seen to that each partition has its job. */
const tendEveryMs = 5_000;
/** A partition that was not to be had by then is another worker's: its job may come to that one. */
const patienceMs = 7_000;
/** After a fault of Redis, which BullMQ would ask again at once, thousands of times a second. */
const restMs = 5_000;
const retryMs = 1_000;
const endMs = 1_000;

export interface PartitionQueueDeps {
  /** QUEUE_URL. */
  readonly url: string;
  /** Of every key: bots that share a Redis do not meet. */
  readonly prefix: string;
  readonly storage: Storage;
  /** A job came; undefined for a process that only answers people. */
  readonly onJob: (() => void) | undefined;
  isHeld(partition: number): boolean;
  readonly log: Log;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/**
 * Which of the workers may take which partition: one job for each, without an end, which a worker has for as long as it polls
 * the partition. What keeps two workers from polling one partition is its owner's row in the storage, not its job.
 */
export interface PartitionQueue {
  /** Resolves once Redis answers, or the process ends. Throws `DataError` where the queue is of another storage. */
  begin(): Promise<void>;
  /** Whether this worker has the job of a partition. */
  has(partition: number): boolean;
  /** Takes so many jobs at most. */
  share(most: number): void;
  /** The partition is not this worker's any more: nor is its job. */
  lost(partition: number): void;
  /** A line that says why the queue cannot be used. */
  notReady(): string | undefined;
  /** Takes no more jobs. */
  pause(): void;
  close(): Promise<void>;
}

const dataSchema = z.object({ partition: z.int().min(0).lt(partitionCount) });
type Data = z.infer<typeof dataSchema>;

/** Jobs that this worker has, with what ends them. */
function createJobs({ onJob, isHeld }: Pick<PartitionQueueDeps, "onJob" | "isHeld">) {
  const ends = new Map<number, () => void>();
  return {
    has: (partition: number) => ends.has(partition),
    lost: (partition: number) => ends.get(partition)?.(),
    /** Lasts until the partition is lost, or the job is. */
    async work({ data }: Pick<Job<unknown>, "data">, signal: AbortSignal | undefined): Promise<void> {
      const { partition } = dataSchema.parse(data);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.get(partition)?.();
      ends.set(partition, resolve);
      signal?.addEventListener("abort", () => resolve());
      const timer = setTimeout(() => isHeld(partition) || resolve(), patienceMs);
      onJob?.();
      await promise;
      clearTimeout(timer);
      if (ends.get(partition) === resolve) ends.delete(partition);
    },
  };
}

const jobOf = (partition: number) => ({
  name: "partition",
  data: { partition },
  opts: { jobId: `partition-${partition}`, removeOnComplete: true, removeOnFail: true },
});

/** BullMQ's worker, which rests after a fault. */
function createWorker(
  { url, prefix, log }: PartitionQueueDeps,
  jobs: ReturnType<typeof createJobs>,
  onEnd: () => void,
) {
  const connection = connectQueueRedis(url, log, { maxRetriesPerRequest: null });
  const worker = new Worker<Data>(queueName, (job, _, signal) => jobs.work(job, signal), {
    connection,
    prefix,
    skipVersionCheck: true,
    autorun: false,
    concurrency: partitionCount,
    lockDuration: lockMs,
    stalledInterval: stalledEveryMs,
    maxStalledCount: mostStalled,
  });
  let resting: NodeJS.Timeout | undefined;
  let said = "";
  worker.on("error", (error) => {
    if (connection.status === "ready" && error.message !== said) {
      said = error.message;
      log.warn({ err: error }, "the queue reports a fault; polls go on");
    }
    if (resting) return;
    void worker.pause(true);
    resting = setTimeout(() => {
      resting = undefined;
      void worker.resume();
    }, restMs);
  });
  worker.on("completed", onEnd);
  // Another worker may have the job by now. The partition stays until it is more than this worker's share.
  worker.on("lockRenewalFailed", (ids) => {
    for (const id of ids) worker.cancelJob(id);
  });
  return {
    run: () => void worker.run().catch(() => undefined),
    share(most: number) {
      if (worker.concurrency !== most) worker.concurrency = most;
    },
    pause() {
      clearTimeout(resting);
      resting = undefined;
      void worker.pause(true);
    },
    async close() {
      await withDeadline(worker.close(), endMs, undefined);
      connection.disconnect();
    },
  };
}

export function createPartitionQueue(deps: PartitionQueueDeps): PartitionQueue {
  const { url, prefix, storage, onJob, log, signal } = deps;
  const redis = connectQueueRedis(url, log);
  const queue = new Queue<Data>(queueName, { connection: redis, prefix, skipVersionCheck: true });
  // The connection says what is to be said.
  queue.on("error", () => undefined);
  const jobs = createJobs(deps);
  const worker = onJob && createWorker(deps, jobs, () => void tend());
  let tending: NodeJS.Timeout | undefined;
  let isEnding = false;

  /** Throws `DataError` where the queue belongs to the processes of another storage. */
  async function claim() {
    const id = await storageId(storage);
    const key = `${prefix}:storage`;
    await redis.set(key, id, "NX");
    const known = await redis.get(key);
    if (known === id || known === null) return;
    throw new DataError(
      `the queue at QUEUE_URL belongs to processes with another storage: nothing would be polled as they know it. Nothing was changed. Set STORAGE_URL as theirs. Where the storage was replaced on purpose, end them all, delete the key ${key} in that Redis, then start again.`,
    );
  }

  /** Gives each partition without a job one. */
  async function tend() {
    try {
      const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active");
      if (wait + active < partitionCount) await queue.addBulk(partitions.map(jobOf));
    } catch {
      // Redis is away, and the connection says so.
    }
  }

  return {
    ...jobs,
    async begin() {
      while (!signal.aborted) {
        try {
          await claim();
          break;
        } catch (error) {
          if (error instanceof DataError) throw error;
        }
        await delay(retryMs, undefined, { signal }).catch(() => undefined);
      }
      if (signal.aborted || !worker) return;
      await tend();
      tending = setInterval(() => void tend(), tendEveryMs);
      worker.run();
    },
    share: (most) => worker?.share(most),
    notReady: () => (redis.status === "ready" || isEnding ? undefined : "polls: the queue's Redis cannot be reached"),
    pause() {
      isEnding = true;
      clearInterval(tending);
      worker?.pause();
    },
    async close() {
      await worker?.close();
      // What this worker had is for the others at once.
      if (worker && redis.status === "ready") await withDeadline(tend(), endMs, undefined);
      await withDeadline(queue.close(), endMs, undefined);
      redis.disconnect();
    },
  };
}
