import { afterEach, expect, it, vi } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createWorkLimits } from "../../src/reports/work-limits.ts";
import { codeOf } from "../support/code-of.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const refusal = (work: () => unknown) => codeOf((async () => work())());

it.each([
  ["exports", "exportLimit", budgets.exports, "export_running", "exports_full"],
  ["imports", "importLimit", budgets.imports, "imports_full", "import_running"],
  ["files that are read", "readingLimit", budgets.importReadings, "import_readings_full", "import_readings_full"],
  ["figures", "statsLimit", budgets.stats, "stats_running", "stats_running"],
] as const)(
  "%s are limited for each person in all servers, each server and the process",
  async (_, limit, most, ofPerson, ofServer) => {
    const places = createWorkLimits()[limit];
    const enter = (guildId: string, userId: string) => places.acquire({ guildId, userId });
    const leave = enter("1", "ana");
    expect(await refusal(() => enter("2", "ana"))).toBe(ofPerson);
    for (let other = 1; other < most.ofServer; other++) enter("1", `${other}`);
    expect(await refusal(() => enter("1", "eva"))).toBe(ofServer);

    for (let other = most.ofServer; other < most.ofProcess; other++) enter(`1${other}`, `${other}`);
    expect(await refusal(() => enter("99", "99"))).toMatch(/full$|stats_running/);
    leave();
    leave();
    enter("99", "99");
    expect(await refusal(() => enter("98", "98"))).toMatch(/full$|stats_running/);
  },
);

it("the exports of a server send its store 30 requests at once, and then four a second", () => {
  let at = 0;
  vi.spyOn(performance, "now").mockImplementation(() => at);
  const places = createWorkLimits().exportLimit;
  const sentNow = () => {
    let count = 0;
    while (places.waitMs("1") === 0) count += 1;
    return count;
  };
  expect(sentNow()).toBe(30);
  at += 1_000;
  expect(sentNow()).toBe(4);
  expect(places.waitMs("2")).toBe(0);
});
