import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { slotCount, slotOf, slotOfTick, slotTimes, tickName } from "../../src/poll-queue/slots.ts";
import { nextRunOf } from "../../src/polling/schedule.ts";

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

describe("a server's slot", () => {
  test("is the same for ever: processes of two versions must not both poll it", () => {
    expect(slotCount).toBe(16);
    const slots = [
      ["1000000000000000001", 13],
      ["80351110224678912", 1],
      ["613425648685547541", 2],
      ["1297834205518700544", 9],
    ] as const;
    for (const [guildId, slot] of slots) expect(slotOf(guildId), guildId).toBe(slot);
  });

  test("is as likely as any other: 100,000 servers are spread within 6 % of even", () => {
    const counts = new Map<number, number>();
    for (let server = 0n; server < 100_000n; server++) {
      // As Discord makes ids: milliseconds, then worker and process, then a count.
      const id = ((server * 1_234_567n) << 22n) | (server % 4_096n);
      const slot = slotOf(String(id));
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
    const even = 100_000 / slotCount;

    expect(counts.size).toBe(slotCount);
    expect(Math.min(...counts.values())).toBeGreaterThan(even * 0.94);
    expect(Math.max(...counts.values())).toBeLessThan(even * 1.06);
  });

  test("is found again in the name of its jobs", () => {
    for (let slot = 0; slot < slotCount; slot++) expect(slotOfTick(tickName(slot))).toBe(slot);
  });
});

/** Ticks near to each other, an hour apart, with gaps of different lengths, once a day, once in 4 years, and every second. */
const expressions = [
  "*/15 * * * * *",
  "* * * * * *",
  "0 * * * * *",
  "0 0 * * * *",
  "0,1,2,30 5 * * * *",
  "*/7 3-5 * * * *",
  "0 30 4 * * *",
  "0 0 9 * * 1-5",
  "0 0 0 29 2 *",
];

/** Some moment of 2026, epoch ms. */
const moments = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });

describe("the ticks of a slot", () => {
  test("come after the moment that is asked for, and within the gap and a minute after one of the expression's", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.integer({ min: 0, max: slotCount - 1 }),
        moments,
        (expression, slot, after) => {
          const nextRun = nextRunOf(expression);
          const at = slotTimes(expression).next(slot, after);

          expect(at).toBeGreaterThan(after);

          const isOwnTick = (tick: number) => {
            const offset = at - tick;
            return offset >= 0 && offset < Math.min(nextRun(tick) - tick, minute);
          };
          // The tick that it is of: the last one before it.
          let tick = nextRun(at - minute);
          while (nextRun(tick) <= at) tick = nextRun(tick);
          expect(isOwnTick(tick)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("are one for each of the expression's, none left out and none twice", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions.slice(0, 7)),
        fc.integer({ min: 0, max: slotCount - 1 }),
        moments,
        (expression, slot, from) => {
          const nextRun = nextRunOf(expression);
          const times = slotTimes(expression);
          const ticks: number[] = [];
          for (let tick = nextRun(from); ticks.length < 40; tick = nextRun(tick)) ticks.push(tick);
          const [first = 0] = ticks;

          let at = times.next(slot, first - 1);
          const hits = ticks.map((tick) => {
            const until = nextRun(tick);
            let count = 0;
            for (; at < until; at = times.next(slot, at)) count += at >= tick ? 1 : 0;
            return count;
          });

          expect(hits).toEqual(ticks.map(() => 1));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("are in the order of the slots, evenly over the time to the next tick, and over a minute of a day", () => {
    const at = Date.UTC(2026, 5, 1, 4, 29, 59);
    const offsetsOf = (expression: string) => {
      const tick = nextRunOf(expression)(at);
      return Array.from({ length: slotCount }, (_, slot) => slotTimes(expression).next(slot, tick - 1) - tick);
    };

    expect(offsetsOf("*/15 * * * * *").slice(0, 3)).toEqual([0, 937, 1_875]);
    expect(offsetsOf("0 30 4 * * *").slice(0, 3)).toEqual([0, 3_750, 7_500]);
    expect(offsetsOf("0 30 4 * * *").at(-1)).toBe(56_250);
  });

  test("leave each slot a share of the gap, of a minute at most, for its servers", () => {
    const at = Date.UTC(2026, 5, 1);

    expect(slotTimes("*/15 * * * * *").windowMs(at)).toBe((15 * second) / slotCount);
    expect(slotTimes("0 30 4 * * *").windowMs(at)).toBe(minute / slotCount);
    expect(slotTimes("0 30 4 * * *").gapMs(at)).toBe(day);
  });
});

test.each([
  ["* * * * * *", 5 * second + minute],
  ["*/15 * * * * *", 75 * second + minute],
])("a slot of which nothing was heard is silent after five ticks and a minute: %s", (expression, silentMs) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 5, 1) });
  try {
    const { isSilent } = slotTimes(expression);
    const now = Date.now();
    // The moment that was noted may be one of a clock that was fast.
    expect([silentMs - 1, silentMs].map((ms) => [isSilent(now - ms), isSilent(now + ms)])).toEqual([
      [false, false],
      [true, true],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
