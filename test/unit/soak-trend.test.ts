import { expect, it } from "vitest";
import { trendOf } from "../soak/trend.ts";

const hourMs = 3_600_000;
const at = (...values: number[]) => values.map((value, index) => ({ atMs: (index + 1) * hourMs, value }));

it("gives the slope an hour of a straight line through the points, and its 95 % band by Student's t", () => {
  const trend = trendOf(at(2, 4, 5, 4, 5));

  // By hand: squares of the residuals 2.4, of the hours 10, three degrees of freedom with t = 3.182.
  expect(trend?.slope).toBeCloseTo(0.6, 9);
  expect(trend?.band).toBeCloseTo(3.182 * Math.sqrt(2.4 / 3 / 10), 1);
  expect(trend).toMatchObject({ lowest: 2, highest: 5, count: 5 });
});

it("finds no slope in what stays, whatever the hour", () => {
  const points = at(7, 7, 7, 7, 7, 7).map(({ atMs, value }) => ({ atMs: atMs + 500 * hourMs, value }));

  expect(trendOf(points)).toMatchObject({ slope: 0, band: 0 });
});

it("says nothing of fewer than five points", () => {
  expect(trendOf(at(1, 2, 3, 4))).toBeUndefined();
});
