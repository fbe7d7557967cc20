import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { createPartitionQueue } from "../../src/polling/partition-queue.ts";
import { partitionCount, partitions } from "../../src/storage/polled-servers.ts";
import { StorageError } from "../../src/storage/table.ts";
import { redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { recordedLog } from "../support/recorded-log.ts";
import { useStorage } from "../support/use-storage.ts";

const storage = useStorage();

function begin(url: string, more: object = {}) {
  const { log, said } = recordedLog();
  const ends = new AbortController();
  const shared = {
    url,
    prefix: "shopbell:1",
    storage,
    onJob: undefined,
    isHeld: () => false,
    log,
    signal: ends.signal,
  };
  const queue = createPartitionQueue({ ...shared, ...more });
  return { queue, begun: queue.begin(), warned: () => said("warn"), end: () => ends.abort() };
}

it.skipIf(!redisInstalled)("a start says why it cannot use the queue's Redis, once", async () => {
  await using server = await startRedisServer();
  const admin = new Redis(server.url);
  await admin.replicaof("127.0.0.1", "1");
  const { queue, begun, warned, end } = begin(server.url);
  const line = "the queue's Redis cannot be used; trying again";
  await expect.poll(warned).toContain(line);
  await admin.replicaof("NO", "ONE");
  await begun;
  expect(warned().filter((message) => message === line)).toHaveLength(1);
  end();
  await queue.close();
  await admin.quit();
});

it.skipIf(!redisInstalled)("a start that cannot use the storage does not blame the queue's Redis", async () => {
  await using server = await startRedisServer();
  const commit = () => Promise.reject(new StorageError("commit", new Error("disk full")));
  const { queue, begun, warned, end } = begin(server.url, { storage: { ...storage, commit } });
  await expect.poll(warned).toEqual(["the storage cannot be used; trying again"]);
  end();
  await begun;
  await queue.close();
});

it.skipIf(!redisInstalled)(
  "a worker that loses the locks of all its jobs, as after an outage of Redis, logs one line",
  async () => {
    await using server = await startRedisServer();
    const { log, said } = recordedLog();
    const ends = new AbortController();
    const jobsNow = () => partitions.filter((partition) => queue.has(partition)).length;
    let most = 0;
    const queue = createPartitionQueue({
      url: server.url,
      prefix: "shopbell:1",
      storage,
      onJob: () => {
        most = Math.max(most, jobsNow());
      },
      isHeld: () => true,
      log,
      signal: ends.signal,
    });
    await queue.begin();
    await expect.poll(() => most).toBe(partitionCount);
    const admin = new Redis(server.url);
    await admin.del(partitions.map((partition) => `shopbell:1:partitions:partition-${partition}:lock`));
    await admin.quit();
    await expect.poll(jobsNow).toBe(0);
    expect(said("warn")).toEqual(["the queue reports a fault; polls go on"]);
    ends.abort();
    await queue.close();
  },
);
