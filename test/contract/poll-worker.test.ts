import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Log } from "../../src/basics/log.ts";
import { createPollQueue, type PollQueue } from "../../src/poll-queue/poll-queue.ts";
import { createPollWorker, type PollWorker } from "../../src/poll-queue/poll-worker.ts";
import { slotCount, slotOf } from "../../src/poll-queue/slots.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { openSilentLine } from "../support/silent-line.ts";

const guildIds = Array.from({ length: 64 }, (_, index) => String(10n ** 17n + BigInt(index)));
const quickPoll = async (_: string): Promise<void> => undefined;
const deadline = { timeout: 20_000, interval: 50 };

interface Running {
  readonly worker: PollWorker;
  readonly queue: PollQueue;
  /** How often it polled each server. */
  readonly polls: Map<string, number>;
  readonly lines: string[];
  isMine: boolean;
}

describe.skipIf(!redisInstalled)("a worker of a real queue", () => {
  let redis: DatabaseServer;
  let admin: Redis;
  const running: Running[] = [];

  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    admin = new Redis(redis.url);
    admin.on("error", () => undefined);
  });

  afterEach(async () => {
    for (const { worker, queue } of running.splice(0)) {
      await worker.end(2_000);
      await queue.close();
    }
    admin.disconnect();
    await redis.remove();
  });

  function newWorker(
    expression = "*/2 * * * * *",
    url = redis.url,
    { servers = guildIds, poll = quickPoll } = {},
  ): Running {
    const lines: string[] = [];
    const say = (_: object, message: string) => void lines.push(message);
    const log: Log = { debug: () => undefined, info: say, warn: say, error: say };
    const queue = createPollQueue({ url, prefix: "shopbell:1", expression, log });
    const polls = new Map<string, number>();
    const worker = createPollWorker({
      url,
      queue,
      alerts: {
        async poll(guildId) {
          polls.set(guildId, (polls.get(guildId) ?? 0) + 1);
          await poll(guildId);
          return undefined;
        },
        settled: async () => undefined,
        guildIds: async () => servers,
        rosterChanged: () => undefined,
      },
      isMine: () => one.isMine,
      log,
      signal: new AbortController().signal,
    });
    const one: Running = { worker, queue, polls, lines, isMine: true };
    running.push(one);
    return one;
  }

  const everyServer = (one: Running, times = 1, timeout = deadline.timeout) =>
    vi.waitFor(
      () => {
        for (const guildId of guildIds) expect(one.polls.get(guildId) ?? 0).toBeGreaterThanOrEqual(times);
      },
      { ...deadline, timeout },
    );

  it("polls every server at every tick", async () => {
    const one = newWorker();
    await one.worker.start();
    await everyServer(one, 3);
    expect(one.worker.notReady()).toBeUndefined();
  });

  it("leaves all jobs to another one while its storage is not to be polled on, and says that it is not ready", async () => {
    const [broken, sound] = [newWorker(), newWorker()];
    broken.isMine = false;
    await broken.worker.start();
    await sound.worker.start();

    await everyServer(sound, 3);

    expect([...broken.polls]).toEqual([]);
    expect(broken.worker.notReady()).toContain("no right to poll");
  });

  it("has slots that are always late taken over by a worker that is added, and no server polled by two at once", async () => {
    const servers = Array.from({ length: 1_024 }, (_, index) => String(10n ** 17n + BigInt(index)));
    const polled = new Set<string>();
    const twice: string[] = [];
    const poll = async (guildId: string) => {
      if (polled.has(guildId)) twice.push(guildId);
      polled.add(guildId);
      await wait(1_000);
      polled.delete(guildId);
    };
    const [first, added] = [1, 2].map(() => newWorker("* * * * * *", redis.url, { servers, poll }));
    if (!first || !added) throw new Error("no workers");
    const late = "polls run late: there are too few workers, or the stores answer slowly";
    const heldBy = async ({ queue }: Running) => {
      const states = await queue.notes.slotStates();
      return [...states.values()].filter(({ holder }) => holder === queue.name).length;
    };
    await first.worker.start();
    await vi.waitFor(async () => expect(await heldBy(first)).toBe(slotCount), deadline);
    await vi.waitFor(() => expect(first.lines).toContain(late), deadline);

    await added.worker.start();

    await vi.waitFor(async () => expect(await heldBy(added)).toBeGreaterThanOrEqual(6), {
      ...deadline,
      timeout: 60_000,
    });
    const polls = [...first.polls.values()].reduce((sum, count) => sum + count, 0);
    await vi.waitFor(
      () => expect([...first.polls.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(polls + 256),
      deadline,
    );
    expect(twice).toEqual([]);
  }, 120_000);

  it("says once, and not a thousand times a second, that Redis refuses, and goes on when it does not any more", async () => {
    const one = newWorker();
    await one.worker.start();
    await everyServer(one);
    const said = one.lines.length;

    await admin.config("SET", "maxmemory", "1");
    await vi.waitFor(() => expect(one.lines.length).toBeGreaterThan(said), deadline);
    // For as long as three of its rests.
    const until = performance.now() + 15_000;
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(until), { timeout: 20_000, interval: 500 });
    expect(one.lines.length - said).toBeLessThan(200);

    await admin.config("SET", "maxmemory", "0");
    one.polls.clear();
    // A job that was under way is given out again when its lock is over.
    await everyServer(one, 1, 45_000);
  }, 120_000);

  it("begins anew within seconds in a Redis that forgot everything while it was away", async () => {
    const one = newWorker();
    await one.worker.start();
    await everyServer(one);

    await redis.kill();
    await admin.disconnect();
    await redis.start();
    one.polls.clear();

    await everyServer(one);
  }, 60_000);

  it("leaves a Redis that fell silent after 15 s, and polls and is asked for polls as before when one answers there", async () => {
    await using line = await openSilentLine(Number(new URL(redis.url).port));
    const one = newWorker("*/2 * * * * *", `redis://${line.address}`);
    await one.worker.start();
    await everyServer(one);

    line.fallSilent();
    const from = performance.now();
    // What is under way may still end.
    await vi.waitFor(() => expect(one.lines).toContainEqual(expect.stringContaining("cannot be reached")), deadline);
    const leftMs = performance.now() - from;
    one.polls.clear();
    // A job that was under way is given out again when its lock is over.
    await everyServer(one, 1, 45_000);

    expect(leftMs).toBeLessThan(18_000);
    expect(one.lines).toContain("the queue's Redis answers again");
    const [asked = ""] = guildIds;
    await one.queue.notes.due(slotOf(asked), asked);
    await vi.waitFor(async () => expect(await one.queue.notes.isDue(slotOf(asked))).toBe(false), deadline);
    expect(one.worker.notReady()).toBeUndefined();
  }, 90_000);

  it("fails a job that no process of the bot has made, and nothing else", async () => {
    const one = newWorker();
    await one.worker.start();
    for (const data of [{ slot: -1, at: 1 }, { slot: "__proto__", at: 1 }, { slot: 1e9 }, {}]) {
      await one.queue.jobs.add("polls", data as never);
    }
    await vi.waitFor(async () => expect(await one.queue.jobs.getFailedCount()).toBe(4), deadline);
    one.polls.clear();
    await everyServer(one);
  });
});
