import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBudget } from "../../src/basics/limits/budget.ts";

const allowance = { burst: 10, perSecond: 4 };

describe("a budget with a burst and a rate", () => {
  test("gives what is at hand at once, and what is not only when its time has come", () => {
    let now = 0;
    const budget = createBudget(allowance, () => now);

    for (let count = 0; count < allowance.burst; count += 1) expect(budget.spend("one")).toBe(0);
    expect(budget.spend("one")).toBe(250);
    expect(budget.spend("other")).toBe(0);

    now = 249;
    expect(budget.spend("one")).toBe(1);

    now = 250;
    expect(budget.spend("one")).toBe(0);
    expect(budget.spend("one")).toBe(250);

    now = 60_000;
    expect(budget.spend("one", 10)).toBe(0);
    expect(budget.spend("one", 3)).toBe(750);
  });

  test("gives again what was given back", () => {
    const budget = createBudget(allowance, () => 0);
    expect(budget.spend("one", 10)).toBe(0);

    budget.giveBack("one", 3);
    budget.giveBack("nobody", 3);

    expect([budget.spend("one", 3), budget.spend("one"), budget.spend("nobody", 11)]).toEqual([0, 250, 250]);
  });

  test("never gives anybody more than what is at hand and what has come back, whoever else asks", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      after: fc.nat(2_000),
      cost: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let now = 0;
        const budget = createBudget(allowance, () => now);
        const given: Record<string, { at: number; cost: number }[]> = { a: [], b: [], c: [] };
        for (const { key, after, cost } of steps) {
          now += after;
          const waitMs = budget.spend(key, cost);
          if (waitMs === 0) given[key]?.push({ at: now, cost });
          else expect(waitMs).toBeGreaterThan(0);
        }
        for (const all of Object.values(given)) {
          all.forEach(({ at }, from) => {
            let used = 0;
            for (const later of all.slice(from)) {
              used += later.cost;
              expect(used).toBeLessThanOrEqual(
                allowance.burst + (allowance.perSecond * (later.at - at)) / 1_000 + 0.001,
              );
            }
          });
        }
      }),
    );
  });
});
