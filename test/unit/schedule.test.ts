import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../src/basics/limits/concurrency-limit.ts";
import { createSchedule, intervalOf, isSchedule, type Schedule } from "../../src/polling/schedule.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const daily = "0 0 12 * * *";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-25T10:00:00.500Z") });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a cron expression", () => {
  const expressions = [
    "*/15 * * * * *",
    "* * * * * *",
    "50-10 * * * * *",
    "7,3,59 */7 22-2 * * *",
    "30 5 * * *",
    "0 0 12 1,15 * mon",
    "0 30 8 * feb-apr tue#2",
    "59 59 23 L * *",
    "0 0 0 29 2 *",
    "0 0 6 15W * *",
  ];

  test("that never matches is refused, like one that is none", () => {
    expect(expressions.map(isSchedule)).not.toContain(false);
    // The last day of a month is never its second Monday.
    expect(isSchedule("0 0 0 L * 1#2")).toBe(false);
    expect(isSchedule("every minute")).toBe(false);
  });

  test("has the interval between its next two runs", () => {
    expect(intervalOf("*/15 * * * * *")).toBe(15 * second);
    expect(intervalOf(daily)).toBe(day);
  });
});

describe("the schedule", () => {
  let guildIds: () => readonly string[];
  let answer: (guildId: string) => Promise<number | undefined>;
  /** Server and ms since the start, by the monotonic clock and to the next 10, of every poll. */
  let polls: [guildId: string, at: number][];
  let places: ConcurrencyLimit;
  let schedule: Schedule;

  function create(expression: string) {
    const from = performance.now();
    schedule = createSchedule({
      expression,
      guildIds: () => guildIds(),
      poll(guildId) {
        polls.push([guildId, Math.round((performance.now() - from) / 10) * 10]);
        return answer(guildId);
      },
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      places,
    });
  }

  async function start(expression: string) {
    create(expression);
    schedule.start();
    await pass(0);
  }

  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const times = () => polls.map(([, at]) => at);

  beforeEach(() => {
    places = createConcurrencyLimit(256, 10_000);
    guildIds = () => ["a"];
    answer = async () => undefined;
    polls = [];
  });

  afterEach(() => {
    schedule.stop();
  });

  test("polls at the start and then at every tick", async () => {
    await start("*/15 * * * * *");
    await pass(45 * second);

    expect(times()).toEqual([0, 14_500, 29_500, 44_500]);
  });

  test("spreads the servers over the time to the next tick", async () => {
    guildIds = () => ["a", "b", "c"];
    await start("*/15 * * * * *");
    await pass(29 * second);

    expect(polls.slice(3)).toEqual([
      ["a", 14_500],
      ["b", 19_500],
      ["c", 24_500],
    ]);
  });

  test("spreads them over no more than a minute", async () => {
    guildIds = () => ["a", "b"];
    await start(daily);
    await pass(minute);

    expect(times()).toEqual([0, 30_000]);
  });

  describe("with a wall clock that is set", () => {
    test("back by three hours polls on (0.1.0: not for three hours)", async () => {
      await start("*/15 * * * * *");
      await pass(20 * second);
      vi.setSystemTime(Date.now() - 3 * hour);
      await pass(60 * second);

      expect(times()).toEqual([0, 14_500, 29_500, 44_500, 59_500, 74_500]);
    });

    test("back by half a second just after a round makes no round too many", async () => {
      await start("*/15 * * * * *");
      await pass(14.6 * second);
      vi.setSystemTime(Date.now() - 0.5 * second);
      await pass(10 * second);

      expect(times()).toEqual([0, 14_500]);
    });

    test("back over a daily round has that round again, and again the day after", async () => {
      await start(daily);
      await pass(2 * hour);
      vi.setSystemTime(Date.now() - hour);
      await pass(hour);

      expect(times()).toEqual([0, 2 * hour - 500, 3 * hour - 500]);

      await pass(day);
      expect(polls).toHaveLength(4);
    });

    test("forth by three seconds over a daily round has it at once (0.1.0: a day later)", async () => {
      await start(daily);
      await pass(2 * hour - 2 * second);
      vi.setSystemTime(Date.now() + 3 * second);
      await pass(1.1 * second);

      expect(polls).toHaveLength(2);

      await pass(day - minute);
      expect(polls).toHaveLength(2);
    });

    test("forth by three hours makes up for all rounds at once, by one", async () => {
      await start("*/15 * * * * *");
      await pass(20 * second);
      vi.setSystemTime(Date.now() + 3 * hour);
      await pass(1.1 * second);

      expect(polls).toHaveLength(3);

      await pass(10 * second);
      expect(times().slice(3)).toEqual([29_500]);
    });
  });

  describe("asked for a retry", () => {
    test("polls that server again then, though the next round is a day away (0.1.0: a day later)", async () => {
      guildIds = () => ["a", "b"];
      answer = async (guildId) => (guildId === "b" && polls.length < 4 ? 20 * second : undefined);
      await start(daily);
      await pass(hour);

      expect(polls).toEqual([
        ["a", 0],
        ["b", 30_000],
        ["b", 50_000],
        ["b", 70_000],
      ]);
    });

    test("waits for hours, such as for the hour of a digest, but no longer than a day", async () => {
      answer = async () => [10 * hour, 300 * hour][polls.length - 1];
      await start("0 0 0 1 1 *");
      await pass(3 * day);

      expect(times()).toEqual([0, 10 * hour, 34 * hour]);
    });

    test("leaves it to the round that comes before", async () => {
      answer = async () => (polls.length === 1 ? 17 * second : undefined);
      await start("*/15 * * * * *");
      await pass(25 * second);

      expect(times()).toEqual([0, 14_500]);
    });

    test("takes no poll for both that and the round shortly after", async () => {
      guildIds = () => ["a", "b"];
      answer = async (guildId) => (guildId === "b" && polls.length === 2 ? 8 * second : undefined);
      await start("*/15 * * * * *");
      await pass(25 * second);

      // The start had b polled half-way to the tick at 14.5 s, the round would have it polled at 22 s.
      expect(polls.filter(([guildId]) => guildId === "b").map(([, at]) => at)).toEqual([7_250, 15_250]);
    });

    test("at once, over and over, polls ten times a second at most", async () => {
      answer = async () => 0;
      await start(daily);
      await pass(second);

      expect(polls).toHaveLength(11);
    });
  });

  describe("with a poll that still runs", () => {
    test("leaves that server out of the round, and no other", async () => {
      guildIds = () => ["a", "b"];
      answer = (guildId) => (guildId === "a" ? new Promise(() => undefined) : Promise.resolve(undefined));
      await start("*/15 * * * * *");
      await pass(70 * second);

      expect(polls.filter(([guildId]) => guildId === "a")).toHaveLength(1);
      expect(polls.filter(([guildId]) => guildId === "b")).toHaveLength(5);
    });

    test("polls it a minute later where the next round is far", async () => {
      const first = Promise.withResolvers<undefined>();

      answer = () => (polls.length === 1 ? first.promise : Promise.resolve(undefined));
      await start(daily);
      schedule.spread(["a"]);
      await pass(10 * second);
      first.resolve(undefined);
      await pass(hour);

      expect(times()).toEqual([0, 60_000]);
    });
  });

  test("polls servers that come in between by the next tick", async () => {
    guildIds = () => [];
    await start("*/15 * * * * *");
    await pass(second);
    schedule.spread(["a", "b"]);
    await pass(13 * second);

    expect(polls.map(([id]) => id)).toEqual(["a", "b"]);
  });

  describe("with two places for polls", () => {
    let ended: (() => void)[];
    const end = () => ended.shift()?.();

    beforeEach(() => {
      places = createConcurrencyLimit(2, hour);
      ended = [];
      answer = () => new Promise((resolve) => void ended.push(() => resolve(undefined)));
      guildIds = () => ["a", "b", "c", "d", "e"];
    });

    test("has two under way, and goes on with the others in their turn, once each", async () => {
      await start(daily);
      await pass(30 * minute);
      expect(polls.map(([id]) => id)).toEqual(["a", "b"]);
      for (let count = 3; count <= 5; count++) {
        end();
        await pass(0);
        expect(polls).toHaveLength(count);
      }
      expect(polls.map(([id]) => id)).toEqual(["a", "b", "c", "d", "e"]);
    });

    test("polls first what somebody asks for", async () => {
      await start(daily);
      await pass(30 * minute);
      schedule.pollSoon("new");
      await pass(0);
      for (let count = 0; count < 4; count++) {
        end();
        await pass(0);
      }
      expect(polls.map(([id]) => id)).toEqual(["a", "b", "new", "c", "d", "e"]);
    });

    test("begins none of those that wait when it is stopped", async () => {
      await start(daily);
      await pass(30 * minute);
      schedule.stop();
      end();
      end();
      await pass(day);
      expect(polls).toHaveLength(2);
    });
  });

  test("begins nothing before the start and after the stop", async () => {
    create("*/15 * * * * *");
    schedule.spread(["a"]);
    await pass(minute);

    expect(polls).toEqual([]);

    guildIds = () => ["a", "b"];
    answer = async () => second;
    schedule.start();
    await pass(0);

    expect(polls).toHaveLength(1);

    schedule.stop();
    schedule.spread(["a"]);
    await pass(day);

    expect(polls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
