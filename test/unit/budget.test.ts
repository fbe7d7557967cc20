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
});
