import { expect, it } from "vitest";
import { statusesIn } from "../../commands/statuses.ts";

it("of the statuses that somebody types, the first 25 are taken, each once", () => {
  const typed = Array.from({ length: 40 }, (_, index) => `S${index}`);
  expect(statusesIn(["S0", ...typed].join(" , "))).toEqual(typed.slice(0, 25));
  expect(statusesIn(" , ,")).toBeUndefined();
  expect(statusesIn("pending,Paid", ["PENDING"])).toEqual(["PENDING", "Paid"]);
});
