import { describe, expect, test } from "vitest";
import { createKeyedQueue } from "../../src/discord/interactions/keyed-queue.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a lane for each key", () => {
  test("runs so much work at a time, the next in its order, and that of another key beside it", async () => {
    const lane = createKeyedQueue({ atOnce: 2, longestWaitMs: 1_000 }, () => 0);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) => () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.set(name, resolve);
      });
    const all = ["a1", "a2", "a3", "a4", "b1"].map((name) => lane(name.slice(0, 1), work(name)));

    await turn();

    expect(begun).toEqual(["a1", "a2", "b1"]);

    ends.get("a2")?.();
    await turn();

    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);

    for (const name of ["a1", "a3", "b1"]) ends.get(name)?.();
    await turn();
    ends.get("a4")?.();

    expect(await Promise.all(all)).toEqual([true, true, true, true, true]);
  });

  test("does not run what has waited too long, and goes on after work that fails", async () => {
    let now = 0;
    const lane = createKeyedQueue({ atOnce: 1, longestWaitMs: 1_000 }, () => now);
    const { promise, reject } = Promise.withResolvers<void>();
    const first = lane("a", () => promise);
    let runs = 0;
    const count = async () => {
      runs += 1;
    };
    const late = lane("a", count);
    await turn();
    now = 1_001;
    const fresh = lane("a", count);

    reject(new Error("refused"));

    await expect(first).rejects.toThrow("refused");
    expect([await late, await fresh]).toEqual([false, true]);
    expect(runs).toBe(1);
  });
});
