import { describe, expect, it } from "vitest";
import { createSharedBound, type Held } from "../../../src/basics/limits/shared-bound.ts";
import { useFixture } from "../../support/use-fixture.ts";

const minute = 60_000;

describe("what all servers together hold", () => {
  const shared = useFixture(() => ({ stored: new Map<string, Held>(), clock: 0, isBroken: false, reads: 0 }));
  async function* read() {
    shared.reads++;
    if (shared.isBroken) throw new Error("gone");
    yield* shared.stored;
  }
  const create = () =>
    createSharedBound({
      read,
      ofAll: { count: 5, bytes: 100 },
      always: { count: 1, bytes: 10 },
      monotonic: () => shared.clock,
    });

  it("has a bound by number and by bytes, up to the last of each, and room for what is not more than before", async () => {
    const bound = create();
    expect(await bound.admits("1", { count: 3, bytes: 50 })).toBe(true);
    expect(await bound.admits("2", { count: 1, bytes: 51 })).toBe(false);
    expect(await bound.admits("2", { count: 3, bytes: 1 })).toBe(false);
    expect(await bound.admits("2", { count: 2, bytes: 50 })).toBe(true);
    expect(await bound.admits("1", { count: 3, bytes: 51 })).toBe(false);
    expect(await bound.admits("1", { count: 3, bytes: 50 })).toBe(true);
    expect(await bound.admits("1", { count: 1, bytes: 40 })).toBe(true);
    expect(await bound.admits("2", { count: 4, bytes: 60 })).toBe(true);
    expect(await bound.admits("2", { count: 0, bytes: 0 })).toBe(true);
    expect(await bound.admits("3", { count: 4, bytes: 60 })).toBe(true);
  });

  it("is read once for all who ask, and again after 10 minutes", async () => {
    shared.stored.set("1", { count: 1, bytes: 1 });
    const bound = create();
    expect(await Promise.all(["2", "3"].map((id) => bound.admits(id, { count: 4, bytes: 1 })))).toEqual([true, false]);
    expect(shared.reads).toBe(1);

    shared.stored.set("2", { count: 0, bytes: 0 });
    shared.clock = 10 * minute;
    expect(await bound.admits("3", { count: 4, bytes: 1 })).toBe(false);
    shared.clock++;
    expect(await bound.admits("3", { count: 4, bytes: 1 })).toBe(true);
    expect(shared.reads).toBe(2);
  });

  it("is not known where it cannot be read, and is read by the next one", async () => {
    const bound = create();
    shared.isBroken = true;
    await expect(bound.admits("1", { count: 5, bytes: 1 })).rejects.toThrow("gone");
    shared.isBroken = false;
    expect(await bound.admits("1", { count: 5, bytes: 1 })).toBe(true);
  });
});
