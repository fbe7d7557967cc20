import { type Job, Queue, Worker } from "bullmq";
import { z } from "zod";
import { withDeadline } from "../basics/limits/deadline.ts";
import { sleep } from "../basics/limits/sleep.ts";
import type { Log } from "../basics/log.ts";
import { storageId } from "../storage/data-record.ts";
import { partitionCount, partitions } from "../storage/polled-servers.ts";
import { DataError } from "../storage/prepare-data.ts";
import { connectQueueRedis } from "../storage/redis-connection.ts";
import { type Storage, StorageError } from "../storage/table.ts";

const queueName = "partitions";
/** BullMQ renews the lock of a job after half of this time. When the lock of a dead worker is over, others get the job. */
const lockMs = 10_000;
const stalledEveryMs = 3_000;
/** BullMQ may take a job from dead workers this many times. No job reaches this limit. */
const mostStalled = 1_000_000;
/** Time between two checks that each partition has its job. */
const tendEveryMs = 5_000;
/** If a worker cannot take the partition in this time, it returns the job. Then the partition's holder can get the job. */
const patienceMs = 7_000;
/** Pause after a failure of Redis. Otherwise BullMQ would try again at once, thousands of times a second. */
const restMs = 5_000;
const retryMs = 1_000;
const endMs = 1_000;

export interface PartitionQueueDeps {
  readonly url: string;
  /** Prefix of every key, so that several bots can use one Redis. */
  readonly prefix: string;
  readonly storage: Storage;
  /** Undefined for a process that only answers commands. */
  readonly onJob: (() => void) | undefined;
  isHeld(partition: number): boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const dataSchema = z.object({ partition: z.int().min(0).lt(partitionCount) });
type Data = z.infer<typeof dataSchema>;

function createJobs({ onJob, isHeld }: Pick<PartitionQueueDeps, "onJob" | "isHeld">) {
  const ends = new Map<number, () => void>();
  return {
    has: (partition: number) => ends.has(partition),
    lost: (partition: number) => ends.get(partition)?.(),
    /** Resolves when this worker loses the partition or the job, or could not take the partition within `patienceMs`. */
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
    // If many jobs lose their locks, BullMQ reports an error for each of them.
    if (resting) return;
    if (connection.status === "ready" && error.message !== said) {
      said = error.message;
      log.warn({ err: error }, "the queue reports a fault; polls go on");
    }
    void worker.pause(true);
    resting = setTimeout(() => {
      resting = undefined;
      void worker.resume();
    }, restMs);
  });
  worker.on("completed", onEnd);
  // Another worker may have the job now. This worker keeps the partition unless it holds more than its share.
  worker.on("lockRenewalFailed", (ids) => {
    for (const id of ids) worker.cancelJob(id);
  });
  return {
    run: () => void worker.run().catch(() => undefined),
    share(most: number) {
      if (worker.concurrency === most) return;
      worker.concurrency = most;
      // A worker that has as many jobs as allowed notices a new limit only after a pause or at the end of a job. A job may
      // never end. So without the pause, this worker would not take the partitions of a worker that has ended.
      if (worker.isPaused()) return;
      void worker.pause(true);
      void worker.resume();
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

/**
 * Distributes the partitions among the workers. Each partition has one job. Usually the worker that polls a partition has its
 * job. But only the partition's row in the storage, and not the job, prevents a second worker from polling the partition.
 */
export function createPartitionQueue(deps: PartitionQueueDeps) {
  const { url, prefix, storage, onJob, log, signal } = deps;
  const redis = connectQueueRedis(url, log);
  const queue = new Queue<Data>(queueName, { connection: redis, prefix, skipVersionCheck: true });
  // The connection already logs its errors.
  queue.on("error", () => undefined);
  const jobs = createJobs(deps);
  const worker = onJob && createWorker(deps, jobs, () => void tend());
  let tending: NodeJS.Timeout | undefined;
  let isEnding = false;

  async function claim() {
    const id = await storageId(storage);
    const key = `${prefix}:storage`;
    // `get` comes first, so that a worker can start while Redis refuses writes.
    const known = (await redis.get(key)) ?? (await redis.set(key, id, "NX", "GET"));
    if (known === id || known === null) return;
    throw new DataError(
      `the queue at QUEUE_URL belongs to processes with another storage: nothing would be polled as they know it. Nothing was changed. Set STORAGE_URL as theirs. Where the storage was replaced on purpose, end them all, delete the key ${key} in that Redis, then start again.`,
    );
  }

  async function tend() {
    try {
      const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active");
      if (wait + active < partitionCount) await queue.addBulk(partitions.map(jobOf));
    } catch {
      // The connection logs the failure.
    }
  }

  return {
    ...jobs,
    /** Begins to take jobs as soon as Redis answers. Throws `DataError` if the queue belongs to another storage. */
    async begin() {
      let said = "";
      while (!signal.aborted) {
        try {
          await claim();
          break;
        } catch (error) {
          if (error instanceof DataError) throw error;
          // If Redis cannot be reached, the connection has logged the reason.
          if (redis.status === "ready" && String(error) !== said) {
            said = String(error);
            const what = error instanceof StorageError ? "the storage" : "the queue's Redis";
            log.warn({ err: error }, `${what} cannot be used; trying again`);
          }
        }
        await sleep(retryMs, signal).catch(() => undefined);
      }
      if (signal.aborted || !worker) return;
      await tend();
      tending = setInterval(() => void tend(), tendEveryMs);
      worker.run();
    },
    share: (most: number) => worker?.share(most),
    notReady: (): string | undefined =>
      redis.status === "ready" || isEnding ? undefined : "polls: the queue's Redis cannot be reached",
    pause() {
      isEnding = true;
      clearInterval(tending);
      worker?.pause();
    },
    async close() {
      await worker?.close();
      // This worker has ended its jobs. New jobs let other workers take the partitions at once.
      if (worker && redis.status === "ready") await withDeadline(tend(), endMs, undefined);
      await withDeadline(queue.close(), endMs, undefined);
      redis.disconnect();
    },
  };
}

export type PartitionQueue = ReturnType<typeof createPartitionQueue>;
