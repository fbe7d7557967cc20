import { expect, test } from "vitest";
import { afterPage, newListBaseline } from "../../../src/baseline/baseline-rules.ts";

test("no pass reads more than 20,000 pages, also if the store says that it has a million (the backward pass began at the last)", () => {
  const list = { ...newListBaseline(["PENDING"], 1), page: 20_000 };
  expect(afterPage({ lists: [list] }, list, 1_000_000, 0).lists).toEqual([{ ...list, pass: 2 }]);
});
