import { describe, expect, it } from "vitest";
import { dayAfter, daysFrom, weekdayOf, zoneName, zoneOf } from "../../../src/basics/zones.ts";
import { zoneNameOf } from "../../../src/guilds/guild.ts";
import { digestDay, digestSpan, digestsAt } from "../../../src/outbox/digest-due.ts";
import { spanBefore, spanOf } from "../../../src/reports/days.ts";
import { sized } from "../../support/sized.ts";

const hourMs = 60 * 60_000;
const hours = (zone: string, day: string) =>
  (zoneOf(zone).startOf(dayAfter(day, 1)) - zoneOf(zone).startOf(day)) / hourMs;
const iso = (ms: number) => new Date(ms).toISOString();

it.each([
  ["UTC", "2026-11-21", 24, "2026-11-21T00:00:00.000Z"],
  // Clocks go forward at midnight, so the day begins at 01:00.
  ["America/Sao_Paulo", "2018-11-04", 23, "2018-11-04T03:00:00.000Z"],
  // Clocks go back at midnight, so the day before has its last hour twice.
  ["America/Sao_Paulo", "2018-02-17", 25, "2018-02-17T02:00:00.000Z"],
  ["Europe/Lisbon", "2026-03-29", 23, "2026-03-29T00:00:00.000Z"],
  ["Europe/Lisbon", "2026-10-25", 25, "2026-10-24T23:00:00.000Z"],
  ["America/New_York", "2026-03-08", 23, "2026-03-08T05:00:00.000Z"],
  ["America/New_York", "2026-11-01", 25, "2026-11-01T04:00:00.000Z"],
  ["Australia/Lord_Howe", "2026-10-04", 23.5, "2026-10-03T13:30:00.000Z"],
  ["Asia/Kathmandu", "2026-11-21", 24, "2026-11-20T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2026-11-21", 24, "2026-11-20T10:00:00.000Z"],
  // The day that Samoa skipped.
  ["Pacific/Apia", "2011-12-29", 24, "2011-12-29T10:00:00.000Z"],
  ["Pacific/Apia", "2011-12-30", 0, "2011-12-30T10:00:00.000Z"],
  ["Pacific/Apia", "2011-12-31", 24, "2011-12-30T10:00:00.000Z"],
])("a day of the zone %s, %s, has %s hours from %s on", (zone, day, length, start) => {
  expect(hours(zone, day)).toBe(length);
  expect(iso(zoneOf(zone).startOf(day))).toBe(start);
});

describe("an hour of a day", () => {
  it.each([
    ["America/New_York", "2026-11-21", 9, "2026-11-21T14:00:00.000Z"],
    // 02:00 is skipped, so the next existing hour counts.
    ["America/New_York", "2026-03-08", 2, "2026-03-08T07:00:00.000Z"],
    // 01:00 comes twice. The first time counts.
    ["America/New_York", "2026-11-01", 1, "2026-11-01T05:00:00.000Z"],
    ["America/Sao_Paulo", "2018-11-04", 0, "2018-11-04T03:00:00.000Z"],
    ["Asia/Kolkata", "2026-11-21", 0, "2026-11-20T18:30:00.000Z"],
  ])("%s, %s at %i: %s", (zone, day, hour, at) => {
    expect(iso(zoneOf(zone).atHour(day, hour))).toBe(at);
  });

  it("is what a clock there shows, twice where it is set back", () => {
    const zone = zoneOf("America/New_York");
    const start = zone.startOf("2026-11-01");
    const shown = Array.from({ length: 25 }, (_, hour) => zone.hourOf(start + hour * hourMs));
    expect(shown).toEqual([0, 1, 1, ...Array.from({ length: 22 }, (_, hour) => hour + 2)]);
    const kathmandu = zoneOf("Asia/Kathmandu");
    expect(kathmandu.hourOf(Date.parse("2026-11-21T18:14:59Z"))).toBe(23);
    expect(kathmandu.hourOf(Date.parse("2026-11-21T18:15:00Z"))).toBe(0);
  });
});

describe("the name of a zone", () => {
  it.each([
    ["america/sao paulo", "America/Sao_Paulo"],
    [" UTC ", "UTC"],
    ["Europe/Lisbon", "Europe/Lisbon"],
  ])("is understood: %j", (typed, name) => {
    expect(zoneName(typed)).toBe(name);
  });

  it.each(["", "Mars/Olympus", "+03:00", "9", "__proto__", "a".repeat(500), "America/Sao_Paulo\0"])(
    "is none: %j",
    (typed) => {
      expect(zoneName(typed)).toBeUndefined();
    },
  );
});

it.each([
  [undefined, "UTC"],
  ["Mars/Olympus", "UTC"],
  ["", "UTC"],
  ["Europe/Lisbon", "Europe/Lisbon"],
])("a server's time zone that is kept as %j is %s", (timezone, name) => {
  expect(
    zoneNameOf({ settings: { language: "en", privacy: "none", ...(timezone === undefined ? {} : { timezone }) } }),
  ).toBe(name);
});

describe("days and periods", () => {
  it("are counted over months, years and leap days", () => {
    expect(daysFrom("2024-02-28", "2024-03-01")).toEqual(["2024-02-28", "2024-02-29", "2024-03-01"]);
    expect(dayAfter("2026-01-01", -1)).toBe("2025-12-31");
    expect([weekdayOf("2026-11-22"), weekdayOf("2026-11-23")]).toEqual([7, 1]);
    expect(spanOf("week", "2026-11-22")).toEqual({ from: "2026-11-16", to: "2026-11-22" });
    expect(spanOf("month", "2026-11-22")).toEqual({ from: "2026-10-24", to: "2026-11-22" });
    expect(spanOf("yesterday", "2026-11-22")).toEqual({ from: "2026-11-21", to: "2026-11-21" });
    expect(spanOf("today", "2026-11-22")).toEqual({ from: "2026-11-22", to: "2026-11-22" });
    expect(spanBefore({ from: "2026-11-15", to: "2026-11-21" })).toEqual({ from: "2026-11-08", to: "2026-11-14" });
    expect(digestDay("week", "2026-11-22")).toBe("2026-11-16");
    expect(digestSpan("week", "2026-11-16")).toEqual({ from: "2026-11-09", to: "2026-11-15" });
  });

  it("a weekly digest is due on Mondays, in its zone", () => {
    const zone = zoneOf("Pacific/Auckland");
    const plan = { channelId: "1", every: "week", hour: 8, since: 0 } as const;
    const posted = (day: string) => ({ every: "week", day, at: 0 }) as const;
    const due = digestsAt({ plan, done: posted("2026-11-16") }, zone, Date.parse("2026-11-22T18:59:59Z"));
    expect(due).toEqual({ latest: "2026-11-16", due: undefined, nextAt: Date.parse("2026-11-22T19:00:00Z") });
    const then = digestsAt({ plan, done: posted("2026-11-16") }, zone, due.nextAt);
    expect(then.due).toEqual({ day: "2026-11-23", dueAt: due.nextAt, missed: 0, isUnsure: false });
    const late = digestsAt({ plan, done: posted("2026-11-02") }, zone, due.nextAt);
    expect(late.due).toMatchObject({ day: "2026-11-23", missed: 2 });
  });

  it("a daily digest comes once a day through every change of the clock", () => {
    for (const name of ["America/Sao_Paulo", "Europe/Lisbon", "America/New_York", "Pacific/Apia", "Africa/Cairo"]) {
      const zone = zoneOf(name);
      for (const hour of sized([2], [0, 2, 9])) {
        const plan = { channelId: "1", every: "day", hour, since: 0 } as const;
        let { nextAt } = digestsAt({ plan }, zone, Date.parse("2018-01-01T12:00:00Z"));
        let done = dayAfter(zone.dayOf(nextAt), -1);
        for (let count = 0; count < 400; count += 1) {
          const now = nextAt;
          const { due, nextAt: after } = digestsAt({ plan, done: { every: "day", day: done, at: 0 } }, zone, now);
          expect(due?.day, `${name} ${hour} ${iso(now)}`).toBe(dayAfter(done, 1));
          done = due?.day ?? "";
          nextAt = after;
        }
      }
    }
  });
});
