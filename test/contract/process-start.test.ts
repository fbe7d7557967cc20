import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { readConfig } from "../../src/config.ts";
import { createShutdown } from "../../src/operations/shutdown.ts";
import { startProcess } from "../../src/process.ts";
import { DataError } from "../../src/storage/prepare-data.ts";
import { connectQueueRedis } from "../../src/storage/redis-connection.ts";
import { failure } from "../support/code-of.ts";
import { redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { silentLog as log } from "../support/recorded-log.ts";

const applicationId = "100000000000000001";
/** Discord's time for a request about commands. */
const slowMs = 500;

const unheard: unknown[] = [];
const hear = (error: unknown) => void unheard.push(error);
beforeEach(() => void process.on("unhandledRejection", hear));
afterEach(() => {
  process.off("unhandledRejection", hear);
  unheard.length = 0;
});

test.skipIf(!redisInstalled)(
  "a process whose queue belongs to another storage says so, although it waits for Discord to take its commands",
  async () => {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "shopbell-start-"));
    stack.defer(() => rm(directory, { recursive: true }));
    const redis = stack.use(await startRedisServer());
    const queue = connectQueueRedis(redis.url, log);
    await queue.set(`shopbell:${applicationId}:storage`, "another");
    queue.disconnect();
    const config = readConfig({
      DISCORD_TOKEN: `${Buffer.from(applicationId).toString("base64url")}.AAAAAA.${"b".repeat(38)}`,
      STORE_API_URL: "https://store.test",
      STORAGE_URL: `sqlite://${directory}/shopbell.sqlite`,
      SECRET_KEYS: Buffer.alloc(32, 7).toString("base64"),
      QUEUE_URL: redis.url,
    });
    const shutdown = createShutdown(log);
    stack.defer(async () => void (await shutdown.run()));
    const wires = {
      async discord(url: string) {
        if (!url.endsWith("/commands")) return Response.json({ id: applicationId });
        await wait(slowMs);
        return Response.json([]);
      },
      gateway: () => ({
        connect: async () => undefined,
        close: async () => undefined,
        health: { notReady: () => undefined, heartbeats: () => [] },
      }),
    };
    const monitoring = { metrics: noMetrics, add: () => undefined, ready: () => undefined };
    const ignore = () => undefined;

    const failed = await failure(
      startProcess({ config, log, shutdown, monitoring, wires, onUnprepared: ignore, onRefused: ignore }),
    );

    expect(failed).toBeInstanceOf(DataError);
    expect(unheard).toEqual([]);
  },
);
