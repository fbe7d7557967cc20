import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { everyone } from "../../src/poll-queue/notes.ts";
import { runSlot, type SlotRunDeps } from "../../src/poll-queue/slot-run.ts";
import { createPollPlaces } from "../../src/polling/poll-places.ts";
import { StorageError } from "../../src/storage/table.ts";

const hour = 3_600_000;
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

let ending: AbortController;
/** Servers in the order in which their polls began. */
let polled: string[];
let isHeld: boolean;
/** What is due at each look; nothing where there is no more. */
let dues: string[][];
/** What a poll is, where it is not done at once. */
let poll: SlotRunDeps["poll"];
let settled: SlotRunDeps["settled"];
let untilTickMs: number;

beforeEach(() => {
  ending = new AbortController();
  polled = [];
  isHeld = true;
  dues = [[everyone]];
  poll = async () => undefined;
  settled = async () => undefined;
  untilTickMs = hour;
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});

afterEach(async () => {
  await new Promise(setImmediate);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const run = (guildIds: readonly string[], more: Partial<SlotRunDeps> = {}) =>
  runSlot({
    poll(guildId, isAgain) {
      polled.push(guildId);
      return poll(guildId, isAgain);
    },
    settled: (guildId) => settled(guildId),
    take: async () => ({ due: dues.shift() ?? [], guildIds }),
    places: createPollPlaces(),
    windowMs: () => 0,
    untilTickMs: () => untilTickMs,
    goesOn: () => isHeld && !ending.signal.aborted,
    signal: ending.signal,
    ...more,
  });

/** Resolves when so many polls have begun. */
const polls = (count: number) => vi.waitFor(() => expect(polled.length).toBeGreaterThanOrEqual(count), 8_000);

describe("a turn of a slot", () => {
  test("polls every server of it once, and ends", async () => {
    expect(await run(["a", "b", "c"])).toBe(true);
    expect(polled.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("was not whole where a poll was under way when the right ended: nobody knows how far that came", async () => {
    poll = async () => {
      isHeld = false;
      return undefined;
    };

    expect(await run(["a"])).toBe(false);
    expect(polled).toEqual(["a"]);
  });

  test("polls only whom it was asked for where no tick is due", async () => {
    dues = [["b"]];

    expect(await run(["a", "b", "c"])).toBe(true);
    expect(polled).toEqual(["b"]);
  });

  test("has nothing to do where nothing is due", async () => {
    dues = [];

    expect(await run(["a"])).toBe(true);
    expect(polled).toEqual([]);
  });

  test("spreads its servers over the window, in their order", async () => {
    const at = new Map<string, number>();
    const begun = performance.now();
    poll = async (guildId) => void at.set(guildId, performance.now() - begun);
    await run(["a", "b", "c", "d"], { windowMs: () => 400 });

    expect(polled).toEqual(["a", "b", "c", "d"]);
    expect(at.get("d")).toBeGreaterThanOrEqual(295);
  });

  test("holds up nobody for a server that takes long: others are polled again at the next tick, and it is not", async () => {
    const slow = Promise.withResolvers<undefined>();
    poll = (guildId) => (guildId === "slow" ? slow.promise : Promise.resolve(undefined));
    dues = [[everyone], [everyone]];
    const running = run(["slow", "a", "b"]);
    await polls(5);
    slow.resolve(undefined);

    expect(await running).toBe(true);
    expect(polled).toEqual(["slow", "a", "b", "a", "b"]);
  });

  test("polls again, once, what was asked for while it was polled", async () => {
    const first = Promise.withResolvers<undefined>();
    const isAgain: boolean[] = [];
    poll = (_, again) => {
      isAgain.push(again);
      return polled.length === 1 ? first.promise : Promise.resolve(undefined);
    };
    dues = [[everyone], ["a"], ["a"]];
    const running = run(["a"]);
    await vi.waitFor(() => expect(dues).toEqual([]), 8_000);
    first.resolve(undefined);
    await running;

    expect(polled).toEqual(["a", "a"]);
    expect(isAgain).toEqual([false, true]);
  });

  test("does not say of a server in mid-poll that what it knows is fresh, and of one that waits it does", async () => {
    const slow = Promise.withResolvers<undefined>();
    poll = (guildId) => (guildId === "slow" ? slow.promise : Promise.resolve(hour / 2));
    const said: boolean[][] = [];
    const running = run(["slow", "waits"], {
      async take(isPolled) {
        said.push(["slow", "waits", "nobody"].map(isPolled));
        return { due: said.length === 1 ? [everyone] : [], guildIds: ["slow", "waits"] };
      },
    });
    await vi.waitFor(() => expect(said).toHaveLength(2), 8_000);
    ending.abort();
    slow.resolve(undefined);
    await running;

    expect(said).toEqual([
      [false, false, false],
      [true, false, false],
    ]);
  });

  test("tries again what wants it before the next tick, though never at once", async () => {
    const begun = performance.now();
    poll = async () => (polled.length < 3 ? 0 : undefined);

    expect(await run(["a"])).toBe(true);
    expect(polled).toHaveLength(3);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(195);
  });

  test("does not last for what wants to be tried after the next tick", async () => {
    untilTickMs = 15_000;
    poll = async () => 15_000;

    expect(await run(["a"])).toBe(true);
    expect(polled).toEqual(["a"]);
  });

  test("does not let who is asked for wait for a retry that is far away", async () => {
    poll = async () => (polled.length === 1 ? hour / 2 : undefined);
    dues = [[everyone], ["a"]];

    expect(await run(["a"])).toBe(true);
    expect(polled).toEqual(["a", "a"]);
  });

  test("lasts until what follows from its polls has ended", async () => {
    const edits = Promise.withResolvers<undefined>();
    settled = () => edits.promise;
    let hasEnded = false;
    const running = run(["a"]).finally(() => {
      hasEnded = true;
    });
    await polls(1);
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);

    edits.resolve(undefined);
    expect(await running).toBe(true);
  });
});

describe("turns that share the places of a process", () => {
  /** Polls that last until each is ended by hand, and the most that were under way at once. */
  function longPolls() {
    const underWay = new Map<string, () => void>();
    let most = 0;
    poll = async (guildId) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.set(guildId, resolve);
      most = Math.max(most, underWay.size);
      await promise;
      underWay.delete(guildId);
      return undefined;
    };
    return {
      async end(guildId: string) {
        await vi.waitFor(() => expect([...underWay.keys()]).toContain(guildId), 8_000);
        underWay.get(guildId)?.();
      },
      most: () => most,
    };
  }

  test("have no more polls under way than there are places, and come to all of them", async () => {
    const places = createPollPlaces(2);
    const { end, most } = longPolls();
    dues = [[everyone], [everyone]];
    const turns = [run(["a", "b", "c"], { places }), run(["d", "e", "f"], { places })];
    for (const guildId of ["a", "b", "c", "d", "e", "f"]) await end(guildId);

    expect(await Promise.all(turns)).toEqual([true, true]);
    expect(most()).toBe(2);
  });

  test("are not held up by a server that takes long: it gives its place away", async () => {
    const { end } = longPolls();
    const begun = performance.now();
    const running = run(["slow", "a", "b"], { places: createPollPlaces(1, 200) });
    await end("a");
    expect(performance.now() - begun).toBeGreaterThanOrEqual(195);
    await end("b");
    expect(performance.now() - begun).toBeLessThan(2_000);
    await end("slow");

    expect(await running).toBe(true);
    expect(polled).toEqual(["slow", "a", "b"]);
  });

  test("poll first whom somebody asked for, whether it waited for its turn already or not", async () => {
    const { end } = longPolls();
    dues = [["a", "b", "c", "d"], ["d"], ["e"]];
    const running = run([], { places: createPollPlaces(1) });
    // Asked for a second and a third time while it waits, and polled once.
    await vi.waitFor(() => expect(dues).toEqual([]), 8_000);
    for (const guildId of ["a", "b", "c", "d", "e"]) await end(guildId);
    await running;
    expect(polled).toEqual(["a", "b", "c", "d", "e"]);

    polled = [];
    dues = [[everyone], ["d"], ["e"], ["d"]];
    const places = createPollPlaces(1);
    const again = run(["a", "b", "c", "d"], { places });
    await vi.waitFor(() => expect(dues).toEqual([]), 8_000);
    for (const guildId of ["a", "e", "d", "b", "c"]) await end(guildId);

    expect(await again).toBe(true);
    expect(polled).toEqual(["a", "e", "d", "b", "c"]);
  });

  test("look again, before a poll that waited for its turn, whether the slot is still theirs", async () => {
    poll = async () => {
      isHeld = false;
      return undefined;
    };

    expect(await run(["a", "b", "c"], { places: createPollPlaces(1) })).toBe(false);
    expect(polled).toEqual(["a"]);
  });

  test("wait for no place any more when the process ends, and leave theirs to others", async () => {
    const places = createPollPlaces(1);
    const leave = await places.take(false, new AbortController().signal);
    const running = run(["a", "b"], { places });
    await vi.waitFor(() => expect(places.lateMs()).toBeGreaterThan(0), 8_000);
    ending.abort();

    expect(await running).toBe(false);
    expect(polled).toEqual([]);

    leave?.();
    expect(places.lateMs()).toBe(0);
    expect(await places.take(false, new AbortController().signal)).toBeDefined();
  });
});

describe("a turn that is cut short", () => {
  test("by the end of the process ends at once, begins nothing more, and says that something is left", async () => {
    poll = async () => hour / 2;
    const running = run(["a", "b"], { windowMs: () => hour });
    await polls(1);
    ending.abort();

    expect(await running).toBe(false);
    expect(polled).toEqual(["a"]);
  });

  test("by the end of the process waits for the poll under way, of which nobody knows how far it came", async () => {
    const last = Promise.withResolvers<undefined>();
    poll = () => last.promise;
    const running = run(["a"]);
    await polls(1);
    ending.abort();
    last.resolve(undefined);

    expect(await running).toBe(false);
  });

  test("by the loss of the slot polls nobody any more, and does not wait for retries", async () => {
    poll = async () => hour / 2;
    const running = run(["a", "b"], { windowMs: () => hour });
    await polls(1);
    isHeld = false;

    expect(await running).toBe(false);
    expect(polled).toEqual(["a"]);
  });

  test("by not knowing what is due fails, and only when what was begun has ended", async () => {
    const last = Promise.withResolvers<undefined>();
    poll = (guildId) => (guildId === "slow" ? last.promise : Promise.resolve(hour / 2));
    let looks = 0;
    let hasEnded = false;
    const running = run(["slow", "waits"], {
      async take() {
        if (looks++ > 0) throw new StorageError("due", new Error("no answer"));
        return { due: [everyone], guildIds: ["slow", "waits"] };
      },
    }).finally(() => {
      hasEnded = true;
    });
    const failing = expect(running).rejects.toThrow(StorageError);
    await vi.waitFor(() => expect(looks).toBe(2), 8_000);
    expect(hasEnded).toBe(false);

    last.resolve(undefined);
    await failing;
    expect(polled.toSorted()).toEqual(["slow", "waits"]);
  });

  test("by not knowing what is due from the beginning fails, and polls nobody", async () => {
    const take = () => Promise.reject(new StorageError("begin", new Error("no answer")));

    await expect(run(["a"], { take })).rejects.toThrow(StorageError);
    expect(polled).toEqual([]);
  });
});

test("a server that is asked for in the very moment in which its poll ends is polled again", async () => {
  // How many turns of the microtask queue lie between the end of the poll and the answer to what is due.
  const counts = Array.from({ length: 12 }, async (_, moments) => {
    const ends = Promise.withResolvers<undefined>();
    const isAsked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let begun = 0;
    let takes = 0;
    const whole = run(["a"], {
      poll: () => (++begun === 1 ? ends.promise : Promise.resolve(undefined)),
      async take() {
        if (++takes === 2) {
          isAsked.resolve();
          await answer.promise;
        }
        return { due: takes <= 2 ? ["a"] : [], guildIds: ["a"] };
      },
    });
    await isAsked.promise;
    ends.resolve(undefined);
    for (let moment = 0; moment < moments; moment++) await undefined;
    answer.resolve();
    await whole;
    return begun;
  });
  expect(await Promise.all(counts)).toEqual(counts.map(() => 2));
});
