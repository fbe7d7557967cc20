import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseTime } from "../../../src/store-api/parse-time.ts";

const tenOClock = Date.UTC(2025, 4, 1, 10);

afterEach(() => void vi.unstubAllEnvs());

describe("a time", () => {
  it.each([
    ["2025-05-01T10:00:00Z", 0],
    ["2025-05-01T10:00:00.123Z", 123],
    ["2025-05-01T10:00:00.123999+00:00", 123],
    ["2025-05-01t10:00:00,5z", 500],
    ["2025-05-01T12:30:00+02:30", 0],
    ["2025-05-01T07:00:00-0300", 0],
    ["2025-05-01 10:00:00+00", 0],
    ["2025-05-01 10:00:00 +0000", 0],
    ["2025-05-01 10:00:00 UTC", 0],
    ["2025-05-01T10:00", 0],
    ["2025-05-01T10:00:00", 0],
    ["2025-05-01 10:00:00", 0],
    [" 2025-05-01 10:00 ", 0],
    ["Thu, 01 May 2025 10:00:00 GMT", 0],
    ["Thu, 1 May 2025 07:00:00 -0300", 0],
    ["Thu May 01 2025 12:00:00 GMT+0200 (Central European Summer Time)", 0],
    ["1746093600", 0],
    ["1746093600123", 123],
  ])("%j is 10 o'clock in UTC and %i ms", (text, ms) => {
    expect(parseTime(text)).toBe(tenOClock + ms);
  });

  it("without a time of day is midnight in UTC", () => {
    expect(parseTime("2025-05-01")).toBe(Date.UTC(2025, 4, 1));
    expect(parseTime("2024-02-29")).toBe(Date.UTC(2024, 1, 29));
  });

  it.each([
    ..."|yesterday|5|27/11/2025 10:00|05/11/2025|05/11/2025 10:00 GMT|11-05-2025|May 5, 2025".split("|"),
    ..."Thu, 01 May 2025 10:00:00|2025-02-29|2025-02-31|2025-13-01|2025-00-01|2025-05-00".split("|"),
    ..."2025-05-01T25:00:00Z|2025-05-01T10:60:00Z|2025-05-01T10:00:00 EST|2025-05-01T10:00:00Z and more".split("|"),
    ..."0001-01-01T00:00:00Z|1970-01-01T00:00:00Z|99999999999999999999".split("|"),
    `2025-05-01${" ".repeat(200)}10:00`,
  ])("%j is no time", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it("as JavaScript, JSON and HTTP write it reads as what it was", () => {
    const moments = fc.date({ min: new Date("1970-01-02"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(parseTime(moment.toISOString())).toBe(moment.getTime());
        expect(parseTime(moment.toUTCString())).toBe(Math.floor(moment.getTime() / 1_000) * 1_000);
      }),
    );
  });

  it("is some moment or none, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9TZ :.+,-]{0,40}$/)), (text) => {
        const at = parseTime(text);
        expect(at === undefined || (Number.isSafeInteger(at) && at > 0)).toBe(true);
      }),
    );
  });

  it.each(["Asia/Tokyo", "America/Sao_Paulo"])(
    "without a zone is the same on a machine in %s (0.1.0: `2025-05-01 10:00:00` was read in the machine's zone)",
    (zone) => {
      vi.stubEnv("TZ", zone);
      expect(new Date(2025, 4, 1, 10).getTime()).not.toBe(tenOClock);
      for (const text of ["2025-05-01 10:00:00", "2025-05-01T10:00:00", "2025-05-01 10:00"]) {
        expect(parseTime(text)).toBe(tenOClock);
      }
    },
  );
});
