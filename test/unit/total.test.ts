import { describe, expect, it } from "vitest";
import { createTotal, type Held } from "../../src/basics/total.ts";

const minute = 60_000;

describe("what the whole storage holds", () => {
  let kept: Held[] = [];
  let counts = 0;
  let clock = 0;
  let isBroken = false;
  const create = () => {
    [kept, counts, clock, isBroken] = [[{ count: 3, bytes: 50 }], 0, 0, false];
    return createTotal(
      { count: 5, bytes: 100 },
      async function* () {
        counts++;
        if (isBroken) throw new Error("broken");
        yield* kept;
      },
      () => clock,
    );
  };

  it("has a bound by number and by bytes, up to the last of each", async () => {
    const total = create();
    expect(await total.admits({ count: 0, bytes: 51 })).toBe(false);
    expect(await total.admits({ count: 1, bytes: 50 })).toBe(true);
    expect(await total.admits({ count: 1, bytes: 0 })).toBe(true);
    expect(await total.admits({ count: 1, bytes: 0 })).toBe(false);
    expect(await total.admits({ count: 0, bytes: 1 })).toBe(false);
    expect(counts).toBe(1);
  });

  it("has room again for what is gone, and takes what needs less than before", async () => {
    const total = create();
    expect(await total.admits({ count: 2, bytes: 50 })).toBe(true);
    expect(await total.admits({ count: 0, bytes: -30 })).toBe(true);
    expect(await total.admits({ count: 0, bytes: 30 })).toBe(true);
    total.gone({ count: 1, bytes: 10 });
    expect(await total.admits({ count: 1, bytes: 10 })).toBe(true);
    expect(await total.admits({ count: 1, bytes: 0 })).toBe(false);
  });

  it("is counted once by all who wait for it, and again after 10 minutes", async () => {
    const total = create();
    await Promise.all([1, 2, 3].map(() => total.admits({ count: 0, bytes: 1 })));
    expect(counts).toBe(1);

    kept = [{ count: 5, bytes: 10 }];
    clock = 10 * minute + 1;
    expect(await total.admits({ count: 1, bytes: 0 })).toBe(false);
    expect(counts).toBe(2);
  });

  it("is not known where it cannot be counted, and is counted by the next one", async () => {
    const total = create();
    isBroken = true;
    await expect(total.admits({ count: 1, bytes: 1 })).rejects.toThrow("broken");
    isBroken = false;
    expect(await total.admits({ count: 1, bytes: 1 })).toBe(true);
  });
});
