import { expect, test } from "vitest";
import { BoundedMap } from "../../../src/basics/limits/bounded-map.ts";

test("the entry that was set longest ago goes, and an entry that is set again is the newest", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
