import { setTimeout as wait } from "node:timers/promises";
import { DelayedError, type Job } from "bullmq";
import { expect, test, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { ConflictError } from "../../src/orders/conflict-error.ts";
import { everyone, requestTo } from "../../src/poll-queue/notes.ts";
import type { PollQueue, Polls } from "../../src/poll-queue/poll-queue.ts";
import { createSlotTurn } from "../../src/poll-queue/slot-turn.ts";
import { slotTimes } from "../../src/poll-queue/slots.ts";
import { StorageError } from "../../src/storage/table.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { guildId, newProcess, slot } from "../support/sharing-process.ts";

/** One turn of the server's slot, in which its polls are these, one after the other. */
const turnOf = (...polls: readonly (() => Promise<unknown>)[]) => turnWith({}, ...polls);

interface Circumstances {
  /** Whether the storage is the queue's. */
  readonly isMine?: () => boolean;
  /** What Redis answers to who renews the job's lock. */
  readonly extendLock?: () => Promise<number>;
  /** What is to be known of its job. */
  readonly job?: { readonly stalledCounter?: number; readonly attemptsMade?: number };
  /** How long ago it was due. */
  readonly agoMs?: number;
}

async function turnWith(
  { isMine = () => true, extendLock = async () => 1, job: known, agoMs = 0 }: Circumstances,
  ...polls: readonly (() => Promise<unknown>)[]
) {
  const redis = createPretendNotes();
  const [worker, gateway] = [redis.connect(), redis.connect()];
  const { rights, right, shared } = newProcess(worker);
  const { rights: others } = newProcess(gateway);
  const ways = { right, shared, worker, gateway, changedByOthers: () => others.changed(guildId) };
  const outcomes: unknown[] = [];
  const added: number[] = [];
  const addPolls = async (of: number) => void added.push(of);
  const queue = {
    name: "here",
    notes: worker,
    rights,
    times: slotTimes("0 0 0 * * *"),
    addPolls,
  } as unknown as PollQueue;
  const turn = createSlotTurn({
    queue,
    alerts: {
      async poll() {
        const poll = polls[outcomes.length] ?? (async () => "not asked for");
        outcomes.push(await poll().catch((error: unknown) => error));
        return undefined;
      },
      settled: async () => undefined,
    },
    roster: { servers: async () => new Map([[slot, [guildId]]]) },
    isMine,
    log: createLog({ level: "silent", terminal: false }),
    signal: new AbortController().signal,
  });
  await worker.due(slot, everyone);
  const data = { slot, at: Date.now() - agoMs };
  const postponed: number[] = [];
  const moveToDelayed = async (until: number) => void postponed.push(until);
  const counts = { stalledCounter: 0, attemptsMade: 0, ...known };
  const job = { data, ...counts, extendLock, moveToDelayed } as unknown as Job<Polls>;
  return { ...ways, outcomes, added, postponed, run: () => turn(job, "token") };
}

test("a poll that others cut short by what they wrote is begun anew within the turn: the next tick is a day away", async () => {
  const terms: unknown[] = [];
  const turn = await turnOf(
    async () => {
      terms.push(turn.right.term());
      await turn.shared.confirm();
      await turn.changedByOthers();
      await turn.shared.writing();
    },
    async () => {
      terms.push(turn.right.term());
      await turn.shared.writing();
      return "written";
    },
  );
  await turn.run();

  expect(turn.outcomes).toEqual([expect.any(ConflictError), "written"]);
  expect(terms).toEqual([1, 2]);
});

test("a poll under way is not told that all is fresh when it becomes due again after others wrote: it is stopped", async () => {
  const turn = await turnOf(
    async () => {
      await turn.changedByOthers();
      await turn.gateway.due(slot, guildId);
      await expect.poll(() => turn.gateway.isDue(slot), { timeout: 8_000 }).toBe(false);
      await turn.shared.writing();
    },
    async () => "anew",
  );
  await turn.run();

  expect(turn.outcomes).toEqual([expect.any(ConflictError), "anew"]);
});

test.each<[string, Circumstances]>([
  ["the storage is not the queue's", { isMine: () => false }],
  ["Redis does not answer for the lock", { extendLock: () => Promise.reject(new Error("no answer")) }],
  ["the lock is another worker's", { extendLock: async () => 0 }],
])("a turn is put off, and nothing of it is done, where %s: the next tick is a day away", async (_, circumstances) => {
  const turn = await turnWith(circumstances);
  const begun = Date.now();

  await expect(turn.run()).rejects.toBeInstanceOf(DelayedError);

  expect(turn.outcomes).toEqual([]);
  expect(turn.postponed).toHaveLength(1);
  expect(turn.postponed[0]).toBeGreaterThanOrEqual(begun + 10_000);
  expect(await turn.gateway.isDue(slot)).toBe(true);
});

test("a turn that cannot learn what else is due lets go of its slot at once, however long a poll takes", async () => {
  const turn = await turnOf(async () => {
    const signal = turn.right.signal();
    await turn.gateway.due(slot, guildId);
    turn.worker.fate = (name) => (name === "begin" ? "lost answer" : "fine");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "cut short";
  });

  await expect(turn.run()).rejects.toThrow(StorageError);

  expect(turn.outcomes).toEqual(["cut short"]);
  expect(turn.right.term()).toBeUndefined();
});

test("a turn that loses the storage in the middle of a poll leaves all of it to another worker", async () => {
  let isMine = true;
  const turn = await turnWith({ isMine: () => isMine }, async () => {
    isMine = false;
  });
  await turn.run();

  expect(turn.outcomes).toHaveLength(1);
  expect(await turn.gateway.isDue(slot)).toBe(true);
  expect(turn.added).toEqual([slot]);
});

test("a slot that another worker asks for is left to it at once, with all that is due, and its next jobs for some seconds", async () => {
  const turn = await turnOf(async () => {
    const signal = turn.right.signal();
    await turn.gateway.due(slot, requestTo("elsewhere"));
    await turn.gateway.due(slot, guildId);
    await expect.poll(() => turn.gateway.isDue(slot), { timeout: 8_000 }).toBe(false);
    expect(signal.aborted).toBe(false);
    await turn.gateway.due(slot, requestTo("here"));
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "cut short";
  });
  await turn.run();
  const leftAt = performance.now();

  expect(turn.outcomes).toEqual(["cut short"]);
  expect(turn.added).toEqual([slot]);
  expect((await turn.gateway.begin(slot)).due).toEqual([everyone]);
  const begun = Date.now();
  await expect(turn.run()).rejects.toBeInstanceOf(DelayedError);
  expect(turn.postponed).toHaveLength(1);
  expect(turn.postponed[0]).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(turn.postponed[0]).toBeGreaterThanOrEqual(begun + 1_000);

  const passed = vi.spyOn(performance, "now").mockReturnValue(leftAt + 4_900);
  await expect(turn.run()).rejects.toBeInstanceOf(DelayedError);
  passed.mockReturnValue(leftAt + 5_000);
  await turn.run();
  passed.mockRestore();
});

test("a slot that was asked for before its turn began is left as well, with all that is due", async () => {
  const turn = await turnOf();
  await turn.gateway.due(slot, requestTo("here"));
  await turn.run();

  expect(turn.outcomes).toEqual([]);
  expect(turn.added).toEqual([slot]);
  expect((await turn.gateway.begin(slot)).due).toEqual([everyone]);
});

test.each([
  ["was taken by a worker that died", { stalledCounter: 1 }, 1],
  ["failed", { attemptsMade: 1 }, 1],
  ["is a new one", {}, 0],
])("a turn whose job %s has all of the slot due where an earlier one may have taken that", async (_, job, polls) => {
  const turn = await turnWith({ job });
  await turn.gateway.begin(slot);
  await turn.run();

  expect(turn.outcomes).toHaveLength(polls);
});

test("a tick that comes while a turn is under way is as late as it is, not as the turn", async () => {
  const turn = await turnWith({ agoMs: 30_000 }, async () => {
    const delayMs = async () => (await turn.gateway.slotState(slot))?.delayMs;
    expect(await delayMs()).toBeGreaterThanOrEqual(30_000);
    await turn.gateway.due(slot, everyone);
    await expect.poll(delayMs, { timeout: 8_000 }).toBeLessThan(10_000);
    return "in time";
  });
  await turn.run();

  expect(turn.outcomes).toContain("in time");
});

test("a slot that another worker asks for is not taken back while a store that hangs keeps its last turn", async () => {
  const hang = Promise.withResolvers<string>();
  const turn = await turnOf(async () => {
    await turn.gateway.due(slot, requestTo("here"));
    return hang.promise;
  });
  const first = turn.run();
  const signal = await vi.waitFor(() => {
    expect(turn.right.term()).toBeDefined();
    return turn.right.signal();
  });
  await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5_000 });
  // By then its lock is over, and the slot's job waits for any worker.
  await wait(6_000);

  await expect(turn.run()).rejects.toBeInstanceOf(DelayedError);
  hang.resolve("ended");
  await first;
  await expect(turn.run()).rejects.toBeInstanceOf(DelayedError);
}, 20_000);
