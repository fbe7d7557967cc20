import fc from "fast-check";
import { expect, test } from "vitest";
import { ConflictError } from "../../src/orders/conflict-error.ts";
import { StorageError } from "../../src/storage/table.ts";
import { createPretendNotes, type Fate } from "../support/pretend-notes.ts";
import { guildId, newHold, newProcess, slot } from "../support/sharing-process.ts";

/** What processes may do in an order that nobody foresees; `moments` pass before the next one begins. */
const deeds = fc.array(
  fc.record({
    by: fc.nat({ max: 2 }),
    what: fc.constantFrom("turn", "turn", "send", "write", "write", "change", "ask", "flush"),
    fate: fc.constantFrom<Fate>("fine", "fine", "fine", "fine", "lost request", "lost answer"),
    moments: fc.nat({ max: 12 }),
  }),
  { minLength: 1, maxLength: 25 },
);

type Redis = ReturnType<typeof createPretendNotes>;

/** One process, and what is true of all that it remembers of the server, as a watch would. */
function newModel(redis: Redis, delay: () => Promise<unknown>) {
  const wire = redis.connect();
  wire.delay = delay;
  const { rights, right, shared } = newProcess(wire);
  return {
    wire,
    rights,
    right,
    shared,
    hold: newHold(delay),
    /** In which it learned what it remembers. */
    term: 0,
    /** Writes of others before that. */
    remembers: Number.NEGATIVE_INFINITY,
    /** Writes of others by now. */
    foreign: 0,
    /** Writes of others by the time at which each command reached Redis. */
    seen: new Map<string, number[]>(),
  };
}

type Model = ReturnType<typeof newModel>;

function createModels(delay: () => Promise<unknown>) {
  const redis = createPretendNotes();
  const models = Array.from({ length: 3 }, () => newModel(redis, delay));
  redis.onCommand = (command, wire, isDone) => {
    for (const model of models) {
      if (model.wire !== wire) {
        if (command === "raise" && isDone) model.foreign++;
        continue;
      }
      model.seen.set(command, [...(model.seen.get(command) ?? []), model.foreign]);
    }
  };
  return { redis, models };
}

/** Resolves to how many writes of others there were when the command of this name that `work` sends reached Redis. */
async function seenBy(model: Model, command: string, work: () => Promise<unknown>): Promise<number> {
  const index = model.wire.sent.filter((sent) => sent === command).length;
  await work();
  return model.seen.get(command)?.[index] ?? Number.NaN;
}

async function turn(model: Model, models: readonly Model[], delay: () => Promise<unknown>) {
  for (const other of models) other.hold.end();
  model.hold = newHold(delay);
  model.rights.hold(slot, model.hold);
  await model.rights.meet(
    () => model.wire.begin(slot),
    () => [guildId],
  );
  const term = model.right.term();
  if (term === undefined || term === model.term) return;
  model.term = term;
  model.remembers = model.foreign;
}

async function act(what: string, model: Model) {
  const { right, shared, remembers } = model;
  if (what === "change") return model.rights.changed(guildId);
  if (what === "ask") {
    let isFresh = false;
    const seen = await seenBy(model, "version", async () => {
      isFresh = await shared.isFresh();
    });
    if (isFresh) expect(seen, "writes of others before what is remembered").toBeLessThanOrEqual(remembers);
    else model.remembers = model.foreign;
    return;
  }
  if (right.term() === undefined || right.term() !== model.term) return;
  const isSend = what === "send";
  const seen = await seenBy(model, isSend ? "version" : "raise", () => (isSend ? shared.confirm() : shared.writing()));
  expect(seen, `writes of others before a ${what}`).toBeLessThanOrEqual(remembers);
  expect(right.term(), `the right at a ${what}`).toBeDefined();
}

test("whatever comes in between, no process sends or writes by what another one has changed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), deeds, async (scheduler, all) => {
      const delay = () => scheduler.schedule(Promise.resolve());
      const { redis, models } = createModels(delay);
      const results: Promise<unknown>[] = [];
      for (const { by, what, fate, moments } of all) {
        const model = models[by];
        if (!model) continue;
        let next: Fate = fate;
        model.wire.fate = () => {
          const now = next;
          next = "fine";
          return now;
        };
        if (what === "flush") redis.flush();
        else results.push(what === "turn" ? turn(model, models, delay) : act(what, model));
        for (let moment = 0; moment < moments && scheduler.count() > 0; moment++) await scheduler.waitOne();
      }
      const settled = Promise.allSettled(results);
      await scheduler.waitFor(settled);
      for (const result of await settled) {
        if (result.status === "fulfilled") continue;
        if (!(result.reason instanceof ConflictError || result.reason instanceof StorageError)) throw result.reason;
      }

      // And all of it comes to rest: the next turn has the right, and goes on with what it knows.
      for (const model of models) {
        model.wire.delay = async () => undefined;
        model.wire.fate = () => "fine";
        const calm = async () => undefined;
        await turn(model, models, calm);
        const term = model.right.term();
        expect(term).toBeDefined();
        await act("send", model);
        await turn(model, models, calm);
        expect(model.right.term()).toBe(term);
      }
    }),
    { numRuns: Number(process.env.RIGHTS_RUNS ?? 400) },
  );
}, 60_000);
