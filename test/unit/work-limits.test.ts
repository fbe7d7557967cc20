import { describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createWorkLimits } from "../../src/reports/work-limits.ts";
import { codeOf } from "../support/code-of.ts";

it.each([
  ["exports", "exportLimit" as const, budgets.exports],
  ["imports", "importLimit" as const, budgets.imports],
  ["files that are read", "readingLimit" as const, budgets.importReadings],
  ["figures", "statsLimit" as const, budgets.stats],
])("no person takes the places of a process by being in many servers: %s", async (_, limit, { ofProcess }) => {
  const places = createWorkLimits()[limit];
  const enter = async (guildId: string, userId: string) => places.acquire({ guildId, userId });
  const leave = places.acquire({ guildId: "1", userId: "666" });
  for (const guildId of ["2", "3", "4"]) expect(await codeOf(enter(guildId, "666"))).not.toBe("no error");

  for (let other = 1; other < ofProcess; other++) await enter(`1${other}`, `${other}`);
  expect(await codeOf(enter("99", "99"))).toMatch(/full$|running$/);
  leave();
  await enter("99", "99");
});

describe("places for exports", () => {
  const who = (guildId: string, userId: string) => ({ guildId, userId });
  const refusal = (work: () => unknown) => codeOf((async () => work())());

  it("are one for each person, two for each server and four in all, and free when left", async () => {
    const places = createWorkLimits().exportLimit;
    const leave = places.acquire(who("1", "ana"));
    expect(await refusal(() => places.acquire(who("1", "ana")))).toBe("export_running");
    places.acquire(who("1", "bia"));
    expect(await refusal(() => places.acquire(who("1", "cai")))).toBe("exports_full");
    places.acquire(who("2", "cai"));
    places.acquire(who("3", "dan"));
    expect(await refusal(() => places.acquire(who("4", "eva")))).toBe("exports_full");

    leave();
    leave();

    places.acquire(who("1", "ana"));
    expect(await refusal(() => places.acquire(who("4", "eva")))).toBe("exports_full");
  });

  it("let a server's exports ask its store 30 times at once, and then four times a second", () => {
    let at = 0;
    const places = createWorkLimits(() => at).exportLimit;
    const askedNow = () => {
      let count = 0;
      while (places.waitMs("1") === 0) count += 1;
      return count;
    };
    expect(askedNow()).toBe(30);
    at += 1_000;
    expect(askedNow()).toBe(4);
    expect(places.waitMs("2")).toBe(0);
  });
});
