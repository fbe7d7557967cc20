import { describe, expect, it } from "vitest";
import { zoneOf } from "../../src/basics/zones.ts";
import { daysIn, suggestDays } from "../../src/reports/days.ts";
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
