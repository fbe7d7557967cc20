import { describe, expect, test } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { ConflictError } from "../../src/orders/conflict-error.ts";
import { announced } from "../../src/polling/shared-server.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { StorageError } from "../../src/storage/table.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { guildId, newProcess, slot } from "../support/sharing-process.ts";
import { stored } from "../support/stored.ts";

const log = createLog({ level: "silent", terminal: false });

function twoProcesses() {
  const redis = createPretendNotes();
  const [wireA, wireB] = [redis.connect(), redis.connect()];
  return { redis, wireA, wireB, a: newProcess(wireA), b: newProcess(wireB) };
}

describe("two processes that take turns with a server", () => {
  test("each has the right while the slot is its own, and a term of its own", async () => {
    const { a, b } = twoProcesses();
    expect(a.right.term()).toBeUndefined();
    expect(a.right.signal().aborted).toBe(true);

    const hold = await a.turn();
    expect(a.right.term()).toBeDefined();
    expect(a.right.signal()).toBe(hold.signal);
    expect(b.right.term()).toBeUndefined();

    a.rights.release(slot, hold);
    expect(a.right.term()).toBeUndefined();
    expect(a.right.signal().aborted).toBe(true);
  });

  test("go on with what they remember while nobody writes: the term stays the same over quiet turns", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    await b.turn();
    await a.turn();

    expect(a.right.term()).toBe(term);
  });

  test("forget where the other one has written", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    await b.turn();
    await b.shared.writing();
    await a.turn();

    expect(a.right.term()).toBeDefined();
    expect(a.right.term()).not.toBe(term);
  });

  test("forget nothing for what they have written themselves", async () => {
    const { a } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    await Promise.all([a.shared.writing(), a.shared.writing(), a.rights.changed(guildId)]);
    await a.shared.writing();
    await a.turn();

    expect(a.right.term()).toBe(term);
    await a.shared.confirm();
  });

  test("lose nothing by a write in the moment in which what others have written is read", async () => {
    const { a, wireA } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    const gate = Promise.withResolvers<void>();
    wireA.delay = () => gate.promise;
    const meeting = a.turn();
    const writing = a.shared.writing();
    gate.resolve();
    await Promise.all([meeting, writing]);

    expect(a.right.term()).toBe(term);
    await a.shared.confirm();
    await a.shared.writing();
  });

  test("have the right though a person changed something in the moment in which they first met the server", async () => {
    const { a, wireA } = twoProcesses();
    const gate = Promise.withResolvers<void>();
    wireA.delay = () => gate.promise;
    const changing = a.rights.changed(guildId);
    const asking = a.shared.isFresh();
    gate.resolve();
    await Promise.all([changing, asking]);
    await a.turn();

    expect(a.right.term()).toBeDefined();
    await a.shared.confirm();
  });

  test("lose nothing by a person's question in the moment of a write", async () => {
    const { a, wireA } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    const gate = Promise.withResolvers<void>();
    wireA.delay = () => gate.promise;
    const asking = a.shared.isFresh();
    const writing = a.shared.writing();
    gate.resolve();
    await writing;

    expect(await asking).toBe(true);
    expect(a.right.term()).toBe(term);
    await a.shared.confirm();
  });
});

describe("a process that was overtaken", () => {
  test("sends nothing and writes nothing, and another one's write is the last", async () => {
    const { a, b, wireA } = twoProcesses();
    const storage = await openStorage("sqlite://:memory:", log);
    const table = (of: typeof a) =>
      announced(storage, { writing: () => of.shared.writing(), written: async () => undefined }).table(
        stored<string>("kept"),
      );
    await a.turn();
    await table(a).set("x", "a");
    await b.turn();
    await table(b).set("x", "b");

    await expect(a.shared.confirm()).rejects.toThrow(ConflictError);
    await a.turn();
    await table(b).setMany([["x", "b again"]]);
    for (const write of [
      () => table(a).set("x", "late"),
      () => table(a).setMany([["x", "late"]]),
      () => table(a).delete("x"),
      () => table(a).deleteMany(["x"]),
      () => table(a).clear(),
    ]) {
      await expect(write()).rejects.toThrow(ConflictError);
    }
    expect(await storage.table(stored<string>("kept")).get("x")).toBe("b again");
    // Nor does it make others forget: only the first of them was announced.
    expect(wireA.sent.filter((command) => command === "raise")).toHaveLength(3);
    expect(a.right.term()).toBeUndefined();
  });

  test("between the announcement of a write and the answer to it does not write", async () => {
    const { a, wireA } = twoProcesses();
    const hold = await a.turn();
    const gate = Promise.withResolvers<void>();
    // The command reaches Redis; its answer is late.
    const delays = [Promise.resolve(), gate.promise];
    wireA.delay = async () => delays.shift();
    const writing = a.shared.writing();
    hold.end();
    gate.resolve();

    await expect(writing).rejects.toThrow(ConflictError);
  });

  test("between the proof and the answer of the version does not send", async () => {
    const { a, wireA } = twoProcesses();
    const hold = await a.turn();
    const gate = Promise.withResolvers<void>();
    wireA.delay = () => gate.promise;
    const confirming = a.shared.confirm();
    // The proof is there by then.
    await Promise.resolve().then(() => Promise.resolve());
    hold.end();
    gate.resolve();

    await expect(confirming).rejects.toThrow(ConflictError);
  });

  test("has the right again at its next turn, in a new term", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    await b.rights.changed(guildId);
    await expect(a.shared.writing()).rejects.toThrow(ConflictError);
    await a.turn();

    expect(a.right.term()).toBeGreaterThan(term ?? Number.POSITIVE_INFINITY);
    await a.shared.confirm();
  });
});

describe("a Redis that fails", () => {
  test.each(["lost request", "lost answer"] as const)(
    "while a write is announced (%s): it is not written, and nothing is believed",
    async (fate) => {
      const { a, wireA } = twoProcesses();
      await a.turn();
      const term = a.right.term();
      wireA.fate = () => fate;

      await expect(a.shared.writing()).rejects.toThrow(StorageError);
      expect(a.right.term()).toBeUndefined();

      wireA.fate = () => "fine";
      await expect(a.shared.writing()).rejects.toThrow(ConflictError);
      await expect(a.shared.confirm()).rejects.toThrow(ConflictError);
      await a.rights.changed(guildId);
      expect(a.right.term()).toBeUndefined();
      await a.turn();
      expect(a.right.term()).toBeGreaterThan(term ?? Number.POSITIVE_INFINITY);
    },
  );

  test("while a message is to be sent: it is not sent", async () => {
    const { a, wireA } = twoProcesses();
    await a.turn();
    wireA.fate = (command) => (command === "version" ? "lost answer" : "fine");

    await expect(a.shared.confirm()).rejects.toThrow(StorageError);
  });

  test("of several writes at once fails them all but what was sure by then", async () => {
    const { a, wireA } = twoProcesses();
    await a.turn();
    let raises = 0;
    wireA.fate = (command) => (command === "raise" && ++raises === 2 ? "lost answer" : "fine");
    const writes = await Promise.allSettled([a.shared.writing(), a.shared.writing(), a.shared.writing()]);

    expect(writes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(a.right.term()).toBeUndefined();
  });
});

describe("a Redis that forgot everything", () => {
  test("is not believed that nobody has written since", async () => {
    const { a, b, redis } = twoProcesses();
    await a.turn();
    await a.shared.writing();
    const term = a.right.term();
    redis.flush();
    await a.turn();
    expect(a.right.term()).not.toBe(term);
    await b.turn();
    await b.shared.writing();
    redis.flush();
    await expect(a.shared.confirm()).rejects.toThrow(ConflictError);
  });

  test("is not believed either where nobody had written when this process last looked", async () => {
    const { a, b, redis } = twoProcesses();
    await a.turn();
    const term = a.right.term();
    await b.turn();
    await b.shared.writing();
    redis.flush();
    expect(await a.shared.isFresh()).toBe(false);
    await a.turn();

    expect(a.right.term()).not.toBe(term);
  });

  test("is not believed by what another process wrote before it looked again", async () => {
    const { a, b, redis } = twoProcesses();
    await a.turn();
    await b.turn();
    await b.shared.writing();
    redis.flush();

    await expect(a.shared.confirm()).rejects.toThrow(ConflictError);
  });

  test("costs a server that nobody has written to one command, once", async () => {
    const { a, b, wireA } = twoProcesses();
    await a.turn();
    await b.turn();
    const before = wireA.sent.length;
    await a.turn();

    expect(wireA.sent.slice(before)).toEqual(["begin"]);
  });
});

test("versions stay exact for as long as a server lives: 10,000 orders a day for 100 years", async () => {
  const { a, wireA } = twoProcesses();
  const steps: number[] = [];
  const raise = wireA.raise;
  wireA.raise = (of, id, by) => {
    steps.push(by);
    return raise(of, id, by);
  };
  await a.turn();
  for (let write = 0; write < 200; write++) await a.shared.writing();
  const writesOfAnOrder = 6;

  expect(Math.max(...steps) * 10_000 * writesOfAnOrder * 365 * 100).toBeLessThan(2 ** 63);
  expect((Math.max(...steps) / 2) * 10_000 * writesOfAnOrder * 365 * 20).toBeLessThan(Number.MAX_SAFE_INTEGER);
});

describe("what another process remembered of the lists", () => {
  test("is taken once, where nobody has written since", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    a.shared.keepMemory("of a");
    await b.turn();

    expect(b.shared.takeMemory()).toBe("of a");
    expect(b.shared.takeMemory()).toBeUndefined();
    await b.turn();
    expect(b.shared.takeMemory()).toBeUndefined();
  });

  test("is not taken where this process's own is the newest", async () => {
    const { a, b } = twoProcesses();
    await b.turn();
    b.shared.keepMemory("of b");
    await a.turn();
    a.shared.keepMemory("of a");
    await a.turn();

    expect(a.shared.takeMemory()).toBeUndefined();
  });

  test("is not taken where somebody has written since", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    a.shared.keepMemory("of a");
    await a.shared.writing();
    await b.turn();

    expect(b.shared.takeMemory()).toBeUndefined();
  });

  test("is dropped where it was not taken in time", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    a.shared.keepMemory("old");
    await b.turn();
    await a.turn();
    await a.shared.writing();
    await b.turn();

    expect(b.shared.takeMemory()).toBeUndefined();
  });

  test("is not kept by a process that was overtaken", async () => {
    const { a, b, wireA } = twoProcesses();
    await a.turn();
    await b.rights.changed(guildId);
    await expect(a.shared.confirm()).rejects.toThrow(ConflictError);
    a.shared.keepMemory("old");

    expect(wireA.sent).not.toContain("keepMemory");
  });
});

describe("how polls go", () => {
  const at = 1_000_000;

  test("is told once, and again when it changes", async () => {
    const { a, b, wireA } = twoProcesses();
    await a.turn();
    await wireA.keepSlotState(slot, { polledAt: at, delayMs: 0 });
    a.shared.keepHealth({ lastPollAt: at, lastGoodAt: at });
    a.shared.keepHealth({ lastPollAt: at + 1, lastGoodAt: at + 2 });
    expect(wireA.sent.filter((command) => command === "keepHealth")).toHaveLength(1);
    expect(await b.shared.health()).toEqual({ lastPollAt: at, lastGoodAt: at });

    const lastError = { trouble: "unavailable" as const, at: at + 3 };
    a.shared.keepHealth({ lastPollAt: at + 3, lastGoodAt: at + 2, lastError });
    expect(await b.shared.health()).toEqual({ lastPollAt: at + 3, lastGoodAt: at + 2, lastError });
  });

  test("is told again after another process told of a fault, and wrote that down", async () => {
    const { a, b } = twoProcesses();
    await a.turn();
    a.shared.keepHealth({ lastPollAt: at, lastGoodAt: at });
    await b.turn();
    await b.shared.writing();
    b.shared.keepHealth({ lastPollAt: at, lastGoodAt: 1, lastError: { trouble: "unavailable", at } });
    await a.turn();
    a.shared.keepHealth({ lastPollAt: at, lastGoodAt: at });

    expect(await a.shared.health()).toEqual({ lastPollAt: at, lastGoodAt: at });
  });

  test("is nothing where nothing is known, and what is malformed is nothing", async () => {
    const { a, wireA } = twoProcesses();
    expect(await a.shared.health()).toEqual({});

    await wireA.keepHealth(slot, guildId, JSON.stringify({ lastGoodAt: "soon" }));
    expect(await a.shared.health()).toEqual({});
    await wireA.keepHealth(slot, guildId, JSON.stringify({ lastError: { trouble: "of a later version", at: 5 } }));
    expect(await a.shared.health()).toEqual({ lastError: { trouble: "internal", at: 5 } });
  });
});
