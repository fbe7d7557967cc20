import { describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { zoneOf } from "../../src/basics/zones.ts";
import { daysIn, suggestDays } from "../../src/reports/days.ts";
import { createLimit, createWorkLimits, paced } from "../../src/reports/work-limits.ts";
import { codeOf } from "../support/code-of.ts";

const now = Date.UTC(2026, 10, 21, 23, 59);
const utc = zoneOf("UTC");
const codeFor = (typed: { from?: string; to?: string }) => codeOf((async () => daysIn(typed, now, utc))());

describe("days", () => {
  it("go from the first moment of one to the last of the other, on the clocks of their zone", () => {
    expect(daysIn({ from: "2026-11-01", to: "2026-11-21" }, now, utc)).toEqual({
      from: Date.UTC(2026, 10, 1),
      before: Date.UTC(2026, 10, 22),
    });
  });

  it("are those of a zone, where it may be another day, of another length", () => {
    const paulo = zoneOf("America/Sao_Paulo");
    const later = now + 2 * 60_000;
    expect(daysIn({ from: "today", to: "today" }, later, paulo)).toEqual({
      from: Date.UTC(2026, 10, 21, 3),
      before: Date.UTC(2026, 10, 22, 3),
    });
    expect(daysIn({ from: "2026-03-08", to: "2026-03-08" }, now, zoneOf("America/New_York"))).toEqual({
      from: Date.UTC(2026, 2, 8, 5),
      before: Date.UTC(2026, 2, 9, 4),
    });
  });

  it("are open where none is typed", () => {
    expect(daysIn({}, now, utc)).toEqual({});
    expect(daysIn({ from: " ", to: "" }, now, utc)).toEqual({});
    expect(daysIn({ to: "2026-1-5" }, now, utc)).toEqual({ before: Date.UTC(2026, 0, 6) });
  });

  it.each(["today", " Today ", "hoje", "HOY"])("take %j for today", (word) => {
    expect(daysIn({ from: word }, now, utc)).toEqual({ from: Date.UTC(2026, 10, 21) });
  });

  it.each(["yesterday", "ontem", "Ayer"])("take %j for yesterday", (word) => {
    expect(daysIn({ from: word }, now, utc)).toEqual({ from: Date.UTC(2026, 10, 20) });
  });

  it.each([
    ..."2026-02-30|2026-13-01|2026-00-10|2026-11-00|21.11.2026|11/21/2026|26-11-21|0026-11-21|2026-11".split("|"),
    ..."soon|2026-11-21T10:00|١٢".split("|"),
  ])("are not %j", async (typed) => {
    expect(await codeFor({ from: typed })).toBe("bad_day");
    expect(await codeFor({ to: typed })).toBe("bad_day");
  });

  it("are not the wrong way round; one day alone is fine", async () => {
    expect(await codeFor({ from: "2026-11-21", to: "2026-11-20" })).toBe("days_reversed");
    expect(daysIn({ from: "today", to: "today" }, now, utc)).toEqual({
      from: Date.UTC(2026, 10, 21),
      before: Date.UTC(2026, 10, 22),
    });
  });

  it("are suggested by their names, with their dates, and each suggestion is one", () => {
    const choices = suggestDays("", utc.dayOf(now), "en");

    expect(choices.map(({ name }) => name)).toEqual([
      "Today (2026-11-21)",
      "Yesterday (2026-11-20)",
      "7 days ago (2026-11-14)",
      "30 days ago (2026-10-22)",
      "First day of this month (2026-11-01)",
      "First day of last month (2026-10-01)",
      "Last day of last month (2026-10-31)",
    ]);
    for (const { value } of choices) expect(daysIn({ from: value }, now, utc).from).toBe(Date.parse(value));
    expect(suggestDays("ontem", utc.dayOf(now), "pt-BR")).toEqual([
      { name: "Ontem (2026-11-20)", value: "2026-11-20" },
    ]);
  });
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
    const places = paced(createLimit(budgets.exports, "exports_full"), budgets.exports.requests, () => at);
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
