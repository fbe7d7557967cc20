import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Log } from "../../src/basics/log.ts";
import { requestTo } from "../../src/poll-queue/notes.ts";
import { createPollQueue, type PollQueue } from "../../src/poll-queue/poll-queue.ts";
import { createPollWorker, type PollWorker } from "../../src/poll-queue/poll-worker.ts";
import { slotOf } from "../../src/poll-queue/slots.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";

const slot = 3;
const ids = Array.from({ length: 1_000 }, (_, index) => String(10n ** 17n + BigInt(index)));
const [hanging = "", ...neighbours] = ids.filter((id) => slotOf(id) === slot).slice(0, 5);
/** The longest that a call of nobody's takes: who waits for it, waits so long. Without, it takes 10 s, and longer on a busy machine. */
const hangMs = 30_000;

describe.skipIf(!redisInstalled)("a group of servers that another worker asked for", () => {
  let redis: DatabaseServer;
  const running: { readonly worker: PollWorker; readonly queue: PollQueue }[] = [];

  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
  });

  afterEach(async () => {
    for (const { worker, queue } of running.splice(0)) {
      await worker.end(2_000);
      await queue.close();
    }
    await redis.remove();
  });

  function newWorker(polled: (guildId: string) => void) {
    const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const queue = createPollQueue({ url: redis.url, prefix: "shopbell:1", expression: "*/2 * * * * *", log });
    const alerts = {
      async poll(guildId: string) {
        polled(guildId);
        // As a watch does, for what it asks its store.
        const signal = queue.rights.of(guildId).signal();
        if (guildId === hanging) await wait(hangMs, undefined, { signal }).catch(() => undefined);
        return undefined;
      },
      settled: async () => undefined,
      guildIds: async () => [hanging, ...neighbours],
      rosterChanged: () => undefined,
    };
    const { signal } = new AbortController();
    const worker = createPollWorker({ url: redis.url, queue, alerts, isMine: () => true, log, signal });
    running.push({ worker, queue });
    return { worker, queue };
  }

  it("is polled again in time, though one of their stores hangs", async () => {
    const polled: string[] = [];
    const [one, other] = [1, 2].map(() => newWorker((id) => void polled.push(id)));
    if (!one || !other) throw new Error("no workers");
    await one.worker.start();
    await vi.waitFor(() => expect(polled.length).toBeGreaterThan(12), { timeout: 20_000 });
    expect(polled).toContain(hanging);
    await other.worker.start();

    await one.queue.notes.due(slot, requestTo(one.queue.name));

    const begun = performance.now();
    await vi.waitFor(async () => expect(await one.queue.notes.isDue(slot)).toBe(false), { timeout: hangMs });
    polled.length = 0;
    await vi.waitFor(() => expect(polled).toEqual(expect.arrayContaining(neighbours)), {
      timeout: 60_000,
      interval: 50,
    });
    expect(performance.now() - begun).toBeLessThan(hangMs);
  }, 120_000);
});
