import { expect, it } from "vitest";
import { daysIn, suggestDays } from "../../../commands/typed-days.ts";
import { zoneOf } from "../../../src/basics/zones.ts";
import { codeOf } from "../../support/code-of.ts";

const now = Date.UTC(2026, 10, 21, 23, 59);
const utc = zoneOf("UTC");

it.each([
  ["2026-11-01", "2026-11-21", "UTC", Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 22)],
  ["today", " Hoje ", "UTC", Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)],
  ["ayer", "HOY", "UTC", Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 22)],
  // A day of another date, and a day of 23 hours.
  ["today", "today", "Asia/Tokyo", Date.UTC(2026, 10, 21, 15), Date.UTC(2026, 10, 22, 15)],
  ["2026-3-8", "2026-03-08", "America/New_York", Date.UTC(2026, 2, 8, 5), Date.UTC(2026, 2, 9, 4)],
])("days from %j to %j in %s go from %i until %i", (from, to, zone, first, before) => {
  expect(daysIn({ from, to }, now, zoneOf(zone))).toEqual({ from: first, before });
});

it("days are open where none is typed", () => {
  expect(daysIn({ from: " ", to: "" }, now, utc)).toEqual({});
  expect(daysIn({ to: "2026-1-5" }, now, utc)).toEqual({ before: Date.UTC(2026, 0, 6) });
});

it.each([
  ..."2026-02-30|2026-13-01|2026-00-10|2026-11-00|21.11.2026|11/21/2026|26-11-21|0026-11-21|2026-11".split("|"),
  ..."soon|2026-11-21T10:00|١٢".split("|"),
])("%j is no day", async (typed) => {
  expect(await codeOf((async () => daysIn({ to: typed }, now, utc))())).toBe("bad_day");
});

it("days are suggested by their names, with their dates, and each suggestion is one", () => {
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
  for (const { name, value } of choices) {
    expect(daysIn({ from: value }, now, utc).from).toBe(Date.parse(value));
    expect(daysIn({ from: `${name} ` }, now, utc).from, "was: no day").toBe(Date.parse(value));
  }
  expect(suggestDays("ontem", utc.dayOf(now), "pt-BR")).toEqual([{ name: "Ontem (2026-11-20)", value: "2026-11-20" }]);
});
