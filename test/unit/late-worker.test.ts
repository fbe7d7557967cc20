import { setTimeout as wait } from "node:timers/promises";
import { DelayedError, type Job } from "bullmq";
import { expect, test, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { everyone } from "../../src/poll-queue/notes.ts";
import type { PollQueue, Polls } from "../../src/poll-queue/poll-queue.ts";
import { createSlotTurn } from "../../src/poll-queue/slot-turn.ts";
import { slotOf, slotTimes } from "../../src/poll-queue/slots.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { newProcess } from "../support/sharing-process.ts";

const ids = Array.from({ length: 10_000 }, (_, index) => String(10n ** 17n + BigInt(index)));
/** More than a process has under way. */
const crowd = ids.filter((id) => slotOf(id) === 1).slice(0, 300);
const [neighbour = ""] = ids.filter((id) => slotOf(id) === 2);

test("a worker whose polls wait for places leaves a slot that it does not have to others for some seconds, and no longer", async () => {
  const notes = createPretendNotes().connect();
  const { rights } = newProcess(notes);
  const hang = Promise.withResolvers<undefined>();
  const polled: string[] = [];
  const queue = { name: "here", notes, rights, times: slotTimes("* * * * * *"), addPolls: async () => undefined };
  const turn = createSlotTurn({
    queue: queue as unknown as PollQueue,
    alerts: {
      async poll(guildId) {
        polled.push(guildId);
        return guildId === neighbour ? undefined : hang.promise;
      },
      settled: async () => undefined,
    },
    roster: {
      servers: async () =>
        new Map([
          [1, crowd],
          [2, [neighbour]],
        ]),
    },
    isMine: () => true,
    log: createLog({ level: "silent", terminal: false }),
    signal: new AbortController().signal,
  });
  const run = async (slot: number, at: number) => {
    await notes.due(slot, everyone);
    const waits = { extendLock: async () => 1, moveToDelayed: async () => undefined };
    return turn({ data: { slot, at }, stalledCounter: 0, attemptsMade: 0, ...waits } as unknown as Job<Polls>, "token");
  };
  const busy = run(1, Date.now());
  await vi.waitFor(() => expect(polled).toHaveLength(256), { timeout: 5_000 });
  await wait(1_500);

  await expect(run(2, Date.now())).rejects.toBeInstanceOf(DelayedError);
  expect(polled).not.toContain(neighbour);

  const late = run(2, Date.now() - 6_000);
  hang.resolve(undefined);
  await Promise.all([busy, late]);
  expect(polled).toContain(neighbour);
}, 20_000);
