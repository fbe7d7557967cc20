import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SlotHold } from "../../src/poll-queue/slot-hold.ts";
import type { Table } from "../../src/storage/table.ts";
import {
  type AlertWorld,
  createAlertWorld,
  guildId,
  idsOf,
  type Killer,
  killAt,
  type Life,
  once,
  timesPosted,
} from "../support/alert-world.ts";
import { createPretendNotes, type PretendConnection } from "../support/pretend-notes.ts";
import { newProcess } from "../support/sharing-process.ts";

/** A worker that shares the server with others. */
interface Worker extends Life {
  readonly wire: PretendConnection;
  /** One turn: polls once, with all that follows from it. From its beginning on the slot is nobody else's any more. */
  turn(): Promise<void>;
}

interface Crew {
  readonly world: AlertWorld;
  /** Operations of any of them on the storage. */
  readonly operations: string[];
  /** Pages of the list that were asked for, and whether their bytes were those of last time. */
  readonly pages: { readonly page: number; readonly isUnchanged: boolean }[];
  hire(killer?: Killer): Worker;
}

function counted(operations: string[]) {
  return <T>(table: Table<T>, name: string): Table<T> => {
    const noted =
      <A extends unknown[], R>(operation: string, work: (...args: A) => R) =>
      (...args: A): R => {
        operations.push(`${operation} ${name}`);
        return work(...args);
      };
    return {
      ...table,
      get: noted("get", table.get),
      getMany: noted("getMany", table.getMany),
      set: noted("set", table.set),
      setMany: noted("setMany", table.setMany),
      delete: noted("delete", table.delete),
      deleteMany: noted("deleteMany", table.deleteMany),
    };
  };
}

async function createCrew({ before = 3, nonces = false } = {}): Promise<Crew> {
  const world = await createAlertWorld();
  world.channel.nonces = nonces;
  const redis = createPretendNotes();
  const operations: string[] = [];
  const pages: Crew["pages"] = [];
  const { changedOrders } = world.store;
  world.store.changedOrders = async (query, fingerprint, signal) => {
    const found = await changedOrders(query, fingerprint, signal);
    pages.push({ page: query.page ?? 1, isUnchanged: found === undefined });
    return found;
  };
  let holder: SlotHold | undefined;
  const crew: Crew = {
    world,
    operations,
    pages,
    hire(killer) {
      const wire = redis.connect();
      const { rights, right, turn } = newProcess(wire);
      const life = world.start(killer, counted(operations), right);
      life.guilds.onChange((id) => void rights.changed(id).catch(() => undefined));
      return {
        ...life,
        wire,
        async turn() {
          holder?.end();
          const hold = await turn((begun) => {
            holder = begun;
          });
          await life.alerts.poll(guildId);
          await life.alerts.settled(guildId);
          hold.end();
        },
      };
    },
  };
  world.store.place(before);
  await world.turnOn(crew.hire());
  return crew;
}

/** Turns of workers one after the other, 15 s apart. */
async function turns({ world }: Crew, ...workers: readonly Worker[]) {
  for (const worker of workers) {
    await worker.turn();
    world.pass(15_000);
  }
}

const textOf = (world: AlertWorld, id: string) =>
  JSON.stringify(world.channel.messages.find(({ payload }) => JSON.stringify(payload).includes(id))?.payload);

describe("two workers that take turns with a server", () => {
  test("post each order once, whoever finds it, and bring each alert up to date", async () => {
    const crew = await createCrew();
    const { world } = crew;
    const [a, b] = [crew.hire(), crew.hire()];
    await turns(crew, a, b);
    const placed = idsOf(world.store.place(2));
    await turns(crew, a, b, a, b);
    placed.push(...idsOf(world.store.place(7)));
    await turns(crew, b, a, b);
    for (const order of world.store.orders.slice(0, 9)) order.status = "PAID";
    await turns(crew, a, b, a, b);

    expect(timesPosted(world.channel, placed)).toEqual(once(placed));
    for (const id of placed) expect(textOf(world, id), id).toContain("Paid");
  });

  test("go on from what the other one saw: a quiet poll asks for page 1 alone, and neither reads nor writes the storage", async () => {
    const crew = await createCrew();
    const [a, b] = [crew.hire(), crew.hire()];
    await turns(crew, a, b, a, b);
    crew.operations.length = 0;
    crew.pages.length = 0;
    await turns(crew, a, b, b, a, b);

    expect(crew.operations).toEqual([]);
    expect(crew.pages).toEqual(Array(5).fill({ page: 1, isUnchanged: true }));
  });

  test("need no page anew after one of them posted an order", async () => {
    const crew = await createCrew();
    const [a, b] = [crew.hire(), crew.hire()];
    await turns(crew, a, b, a, b);
    crew.world.store.place(1);
    await turns(crew, a);
    crew.pages.length = 0;
    await turns(crew, b, a, b);

    expect(crew.pages).toEqual(Array(3).fill({ page: 1, isUnchanged: true }));
  });

  test("go round the pages of a long list together", async () => {
    const crew = await createCrew({ before: 620 });
    const [a, b] = [crew.hire(), crew.hire()];
    for (let round = 0; round < 20; round++) await turns(crew, a, b);
    crew.pages.length = 0;
    await turns(crew, a, b, b, a, a, b, a, b);
    const middle = crew.pages.map(({ page }) => page).filter((page) => page !== 1 && page !== 7);
    const [first = 0] = middle;

    expect(crew.pages.every(({ isUnchanged }) => isUnchanged)).toBe(true);
    expect(middle).toEqual(middle.map((_, index) => 2 + ((first - 2 + index) % 5)));
  });

  test("have a new worker go on from what the others saw", async () => {
    const crew = await createCrew();
    const a = crew.hire();
    await turns(crew, a, a, a);
    crew.pages.length = 0;
    await turns(crew, crew.hire());

    expect(crew.pages).toEqual([{ page: 1, isUnchanged: true }]);
  });

  test("bring up to date what changed while hands changed", async () => {
    const crew = await createCrew();
    const { world } = crew;
    const [a, b] = [crew.hire(), crew.hire()];
    await turns(crew, a, b);
    const placed = world.store.place(3);
    await turns(crew, a);
    // Gone from the list before the other one has read it.
    for (const order of placed) order.status = "PAID";
    await turns(crew, b, a, b);

    for (const { id } of placed) expect(textOf(world, id), id).toContain("Paid");
  });
});

describe.each([1, 4, 8])("a worker that is killed at any step of %i alerts", (orders) => {
  test("is followed by another one that leaves every order in the channel once, and up to date", async () => {
    let step = 0;
    for (; ; step++) {
      const crew = await createCrew();
      const { world } = crew;
      const b = crew.hire();
      await turns(crew, b);
      const placed = world.store.place(orders);
      const killer = killAt(step);
      const a = crew.hire(killer);
      await turns(crew, a, a);
      if (!killer.killed) break;
      await turns(crew, b, crew.hire(), b);
      for (const order of placed) order.status = "PAID";
      await turns(crew, b, crew.hire(), ...Array<Worker>(4).fill(b));
      expect(timesPosted(world.channel, idsOf(placed)), `killed at step ${step}`).toEqual(once(idsOf(placed)));
      for (const { id } of placed) expect(textOf(world, id), `killed at step ${step}`).toContain("Paid");
    }
    expect(step).toBeGreaterThanOrEqual(8);
  });
});

describe.each(["a command to Redis", "a call of Discord"])("a worker that is suspended in %s and wakes", (where) => {
  test("adds nothing to what another one has done meanwhile", async () => {
    let hasBeen = true;
    let step = 0;
    for (; hasBeen; step++) {
      hasBeen = false;
      const crew = await createCrew();
      const { world } = crew;
      const [a, b] = [crew.hire(), crew.hire()];
      await turns(crew, b, a, b);
      const placed = world.store.place(3);
      let steps = 0;
      let isTurnOfA = true;
      const suspend = async (command: string) => {
        if (command.startsWith("keep") || !isTurnOfA || steps++ !== step) return;
        hasBeen = true;
        isTurnOfA = false;
        await turns(crew, b, b);
      };
      if (where === "a command to Redis") a.wire.delay = suspend;
      else world.channel.fault = suspend;
      await turns(crew, a);
      isTurnOfA = false;
      await turns(crew, b, a, b);
      for (const order of placed) order.status = "PAID";
      await turns(crew, a, b, a, b);

      expect(timesPosted(world.channel, idsOf(placed)), `suspended at step ${step}`).toEqual(once(idsOf(placed)));
      for (const { id } of placed) expect(textOf(world, id), `suspended at step ${step}`).toContain("Paid");
    }
    expect(step).toBeGreaterThan(4);
  });
});

/** Commands of which a turn awaits the answer. */
const awaited: ReadonlySet<string> = new Set(["begin", "memories", "raise", "version"]);

const stretch = fc.record({
  who: fc.nat({ max: 1 }),
  orders: fc.integer({ min: 0, max: 6 }),
  leaves: fc.nat({ max: 3 }),
  killedAfter: fc.option(fc.nat({ max: 14 }), { nil: Number.POSITIVE_INFINITY }),
  suspendedAfter: fc.option(fc.nat({ max: 30 }), { nil: Number.POSITIVE_INFINITY }),
});

test("two workers, killed and suspended at any moment, lose and double no alert, and leave none behind the store", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stretch, { minLength: 1, maxLength: 8 }), async (stretches) => {
      const crew = await createCrew();
      const { world } = crew;
      const placed: string[] = [];
      const workers = [crew.hire(), crew.hire()];
      for (const { who, orders, leaves, killedAfter, suspendedAfter } of stretches) {
        placed.push(...idsOf(world.store.place(orders)));
        for (const order of world.store.orders.slice(0, leaves)) {
          if (timesPosted(world.channel, [order.id])[0] === 1) order.status = "PAID";
        }
        const killer = killAt(killedAfter);
        const worker = Number.isFinite(killedAfter) ? crew.hire(killer) : (workers[who] ?? crew.hire());
        const other = workers[1 - who] ?? crew.hire();
        let steps = 0;
        worker.wire.delay = async (command) => {
          if (!awaited.has(command) || steps++ !== suspendedAfter) return;
          await turns(crew, other);
        };
        await turns(crew, worker);
        worker.wire.delay = async () => undefined;
      }
      for (let turn = 0; turn < 10; turn++) {
        for (const worker of workers) await worker.turn();
        world.pass(60_000);
      }

      expect(timesPosted(world.channel, placed)).toEqual(once(placed));
      for (const { id, status } of world.store.orders) {
        if (status === "PAID") expect(textOf(world, id), id).toContain("Paid");
      }
    }),
    { numRuns: Number(process.env.CHAOS_RUNS ?? 40) },
  );
}, 120_000);
