import { setTimeout as wait } from "node:timers/promises";
import type { Job } from "bullmq";
import { afterEach, expect, test } from "vitest";
import type { Guild } from "../../src/guilds/guild.ts";
import { createLog } from "../../src/operations/log.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { everyone } from "../../src/poll-queue/notes.ts";
import type { PollQueue, Polls } from "../../src/poll-queue/poll-queue.ts";
import { createSlotTurn } from "../../src/poll-queue/slot-turn.ts";
import { slotTimes } from "../../src/poll-queue/slots.ts";
import { StorageError, type Table } from "../../src/storage/table.ts";
import { type AlertWorld, createAlertWorld, guildId } from "../support/alert-world.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { keysChannel, linesIn, repliesIn, rule, setStatus } from "../support/routes-world.ts";
import { newProcess, slot } from "../support/sharing-process.ts";

const clocks: NodeJS.Timeout[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) clearInterval(clock);
});

/** A worker whose ticks are a day apart, and the world that it polls, of which the clock goes. */
async function hire(of: Pick<Guild, "routes"> = {}, wrap?: Parameters<AlertWorld["start"]>[1]) {
  const world = await createAlertWorld();
  const notes = createPretendNotes().connect();
  const { rights, right } = newProcess(notes);
  const life = world.start(undefined, wrap, right);
  await world.turnOn(life, { statuses: ["PENDING", "PAID"] });
  if (of.routes) await life.alerts.changeRoutes(guildId, world.store, () => of.routes ?? []);
  world.pass(1_000);
  let before = performance.now();
  clocks.push(
    setInterval(() => {
      world.pass(performance.now() - before);
      before = performance.now();
    }, 20),
  );
  const ending = new AbortController();
  let added = 0;
  const addPolls = async () => void added++;
  const queue = { name: "here", notes, rights, times: slotTimes("0 0 0 * * *"), addPolls };
  const turn = createSlotTurn({
    queue: queue as unknown as PollQueue,
    alerts: life.alerts,
    roster: { servers: async () => new Map([[slot, [guildId]]]) },
    isMine: () => true,
    log: createLog({ level: "silent", terminal: false }),
    signal: ending.signal,
  });
  /** The turn of a tick. */
  async function tick() {
    await notes.due(slot, everyone);
    const data = { slot, at: Date.now() };
    const job = { data, stalledCounter: 0, attemptsMade: 0, extendLock: async () => 1 } as unknown as Job<Polls>;
    await turn(job, "token");
  }
  /** The next message gets no answer, and was not sent. */
  function failOnce() {
    let fails = 1;
    world.channel.fault = (call, when) => {
      if (call === "send" && when === "before" && fails-- > 0) throw new MessengerError("uncertain");
    };
  }
  return { world, tick, failOnce, ending, added: () => added, isDue: () => notes.isDue(slot) };
}

test("a payment's ring that Discord did not take is tried again when its wait is over: the next tick is a day away", async () => {
  const { world, tick, failOnce } = await hire();
  const [order] = world.store.place(1);
  await tick();
  failOnce();
  setStatus(world, order?.id ?? "", "PAID");
  await tick();
  await expect.poll(() => repliesIn(world).length, { timeout: 6_000 }).toBe(1);
}, 60_000);

test("a ring by a rule that Discord did not take is tried again when its wait is over: the next tick is a day away", async () => {
  const { world, tick, failOnce } = await hire({ routes: [rule({ status: "PAID" })] });
  const [order] = world.store.place(1);
  await tick();
  failOnce();
  setStatus(world, order?.id ?? "", "PAID");
  await tick();
  await expect.poll(() => linesIn(world, keysChannel), { timeout: 6_000 }).toBe(1);
}, 60_000);

test("what a turn was about to send when the process ends is due for another worker: the next tick is a day away", async () => {
  const { world, tick, ending, added, isDue } = await hire();
  const [order] = world.store.place(1);
  await tick();
  expect(added()).toBe(0);
  const sending = Promise.withResolvers<undefined>();
  world.channel.fault = async (call, when) => {
    if (call !== "send" || when !== "before") return;
    sending.resolve(undefined);
    await wait(300);
    throw new MessengerError("uncertain");
  };
  setStatus(world, order?.id ?? "", "PAID");
  const turn = tick();
  await sending.promise;
  ending.abort();
  await turn;

  expect(repliesIn(world)).toHaveLength(0);
  expect([await isDue(), added()]).toEqual([true, 1]);
}, 60_000);

test.each<[string, Pick<Guild, "routes">, string, (world: AlertWorld) => number]>([
  ["by themselves", {}, "ledger", (world) => repliesIn(world).length],
  ["by a rule", { routes: [rule({ status: "PAID" })] }, "rout", (world) => linesIn(world, keysChannel)],
])(
  "payments' rings %s go on after a storage that failed between two of them: the next tick is a day away",
  async (_, of, tables, rung) => {
    let failsUntil = Number.NEGATIVE_INFINITY;
    const attempt =
      <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (performance.now() < failsUntil) throw new StorageError("get", new Error("no answer"));
        return act(...args);
      };
    const wrap = <T>(table: Table<T>, name: string): Table<T> =>
      name.startsWith(tables) ? { ...table, get: attempt(table.get), getMany: attempt(table.getMany) } : table;
    const { world, tick } = await hire(of, wrap);
    const placed = world.store.place(1);
    await tick();
    placed.push(...world.store.place(1));
    await tick();
    for (const { id } of placed) setStatus(world, id, "PAID");
    world.channel.fault = (call, when) => {
      if (call === "send" && when === "after" && failsUntil < 0) failsUntil = performance.now() + 1_000;
    };
    await tick();
    expect(failsUntil).toBeGreaterThan(0);
    await expect.poll(() => rung(world), { timeout: 8_000 }).toBe(2);
  },
  60_000,
);
