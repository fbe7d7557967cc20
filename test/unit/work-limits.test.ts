import { expect, it } from "vitest";
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
