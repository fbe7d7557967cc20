import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { intervalOf, isSchedule } from "../../../src/basics/cron.ts";
import { createConcurrencyLimit } from "../../../src/basics/limits/concurrency-limit.ts";
import { createSchedule, type Schedule } from "../../../src/polling/schedule.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const every15s = "*/15 * * * * *";
const hourly = "0 0 * * * *";
const daily = "0 0 12 * * *";

useFakeTimers({ now: Date.parse("2026-11-25T10:00:00.500Z") });

test("a cron expression that never matches is refused, like a malformed one", () => {
  const expressions = [every15s, "50-10 * * * * *", "7,3,59 */7 22-2 * * *", "30 5 * * *", "0 0 12 1,15 * mon"];
  expressions.push("0 30 8 * feb-apr tue#2", "59 59 23 L * *", "0 0 0 29 2 *", "0 0 6 15W * *");
  expect(expressions.map(isSchedule)).not.toContain(false);
  // The last day of a month is never its second Monday.
  expect(["0 0 0 L * 1#2", "every minute"].map(isSchedule)).toEqual([false, false]);
  expect([every15s, daily].map(intervalOf)).toEqual([15 * second, day]);
});

test("polls of which none waits are not called late, although the next round is due while a round begins", () => {
  const { log, said } = recordedLog();
  vi.setSystemTime("2026-11-25T10:00:14.998Z");
  const at = Date.now();
  let reads = 0;
  vi.spyOn(Date, "now").mockImplementation(() => at + ++reads);
  const schedule = createSchedule({ expression: every15s, guildIds: () => [], poll: async () => undefined, log });
  schedule.start();
  schedule.stop();
  vi.mocked(Date.now).mockRestore();
  expect(reads).toBeGreaterThan(2);
  expect(said("warn")).toEqual([]);
});

describe("the schedule", () => {
  let guildIds: readonly string[];
  let answer: (guildId: string) => Promise<number | undefined>;
  /** `at`: ms since the start by the monotonic clock, to the next 10. */
  let polls: [guildId: string, at: number][];
  let logged: ReturnType<typeof recordedLog>;
  let schedule: Schedule;

  function create(expression: string, places = createConcurrencyLimit(256, 10_000)) {
    const from = performance.now();
    schedule = createSchedule({
      expression,
      guildIds: () => guildIds,
      poll(guildId) {
        polls.push([guildId, Math.round((performance.now() - from) / 10) * 10]);
        return answer(guildId);
      },
      log: logged.log,
      places,
    });
  }
  async function start(expression: string, ...ids: string[]) {
    if (ids.length > 0) guildIds = ids;
    create(expression);
    schedule.start();
    await pass(0);
  }
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const times = (id?: string) => polls.flatMap(([guildId, at]) => (guildId === (id ?? guildId) ? [at] : []));

  beforeEach(() => {
    guildIds = ["a"];
    answer = async () => undefined;
    polls = [];
    logged = recordedLog();
  });
  afterEach(() => {
    schedule.stop();
  });

  test("polls at the start and at every tick, and spreads the servers over the time to the next tick", async () => {
    await start(every15s, "a", "b", "c");
    await pass(29 * second);
    expect([times("a"), times("b").slice(1), times("c").slice(1)]).toEqual([[0, 14_500], [19_500], [24_500]]);
  });

  test("spreads them over no more than a minute", async () => {
    await start(daily, "a", "b");
    await pass(minute);
    expect(times()).toEqual([0, 30_000]);
  });

  // After `passS`, the clock is set by `setS`, and then `thenS` pass. `polledAt`: seconds of polls.
  const hours = (count: number) => count * 3_600;
  test.each<[string, string, [passS: number, setS: number, thenS: number], polledAt: number[]]>([
    ["back by 3 h goes on (0.1.0: not for 3 h)", every15s, [20, hours(-3), 60], [0, 14.5, 29.5, 44.5, 59.5, 74.5]],
    ["back by half a second after a round has no second one", every15s, [14.6, -0.5, 10], [0, 14.5]],
    [
      "back over an hourly round has it again, and the next one an hour later",
      hourly,
      [hours(1), hours(-0.5), hours(1.6)],
      [0, hours(1) - 0.5, hours(1.5) - 0.5, hours(2.5) - 0.5],
    ],
    [
      "forth over an hourly round has it at once, and only once (0.1.0: an hour later)",
      hourly,
      [hours(1) - 2, 3, hours(1) - 60],
      [0, hours(1) - 1],
    ],
    ["forth by 3 h makes up for all rounds by one", every15s, [20, hours(3), 11.1], [0, 14.5, 20.5, 29.5]],
  ])("with a wall clock that is set %s", async (_, expression, [passS, setS, thenS], polledAt) => {
    await start(expression);
    await pass(passS * second);
    vi.setSystemTime(Date.now() + setS * second);
    await pass(thenS * second);
    expect(times().map((at) => Math.round(at / 500) / 2)).toEqual(polledAt);
  });

  describe("asked for a retry", () => {
    test("polls that server again then, though the next round is a day away (0.1.0: a day later)", async () => {
      answer = async (guildId) => (guildId === "b" && polls.length < 4 ? 20 * second : undefined);
      await start(daily, "a", "b");
      await pass(hour);
      expect([times("a"), times("b")]).toEqual([[0], [30_000, 50_000, 70_000]]);
    });

    test("waits for hours, such as for the hour of a digest, but no longer than a day", async () => {
      answer = async () => 300 * hour;
      await start("0 0 0 1 1 *");
      // No poll is due, so nothing has to be awaited.
      vi.advanceTimersByTime(day - second);
      await pass(2 * second);
      expect(times()).toEqual([0, day]);
    });

    test("does not poll twice for the retry and a round shortly before or after it", async () => {
      answer = async (guildId) => ({ a: polls.length === 1 ? 17 * second : undefined, b: 8 * second })[guildId];
      await start(every15s, "a", "b");
      await pass(22 * second);
      expect([times("a"), times("b")]).toEqual([
        [0, 14_500],
        [7_250, 15_250],
      ]);
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
      answer = (guildId) => (guildId === "a" ? new Promise(() => undefined) : Promise.resolve(undefined));
      await start(every15s, "a", "b");
      await pass(70 * second);
      expect([times("a").length, times("b").length]).toEqual([1, 5]);
    });

    test("polls it a minute later where the next round is far", async () => {
      const first = Promise.withResolvers<undefined>();
      answer = () => (polls.length === 1 ? first.promise : Promise.resolve(undefined));
      await start(daily);
      schedule.spread(["a"]);
      await pass(10 * second);
      first.resolve(undefined);
      await pass(hour);
      expect(times()).toEqual([0, minute]);
    });
  });

  test("polls servers that come in between by the next tick", async () => {
    guildIds = [];
    await start(every15s);
    await pass(second);
    schedule.spread(["a", "b"]);
    await pass(13 * second);
    expect(polls.map(([id]) => id)).toEqual(["a", "b"]);
  });

  test("with two places for polls, polls first what somebody asks for, the others in turn, and none once it is stopped", async () => {
    const ended: (() => void)[] = [];
    answer = () => new Promise((resolve) => void ended.push(() => resolve(undefined)));
    guildIds = ["a", "b", "c", "d", "e"];
    create(daily, createConcurrencyLimit(2, hour));
    schedule.start();
    await pass(30 * minute);
    expect(polls.map(([id]) => id)).toEqual(["a", "b"]);
    schedule.pollSoon("new");
    await pass(0);
    for (let count = 0; count < 2; count++) {
      ended.shift()?.();
      await pass(0);
    }
    expect(polls.map(([id]) => id)).toEqual(["a", "b", "new", "c"]);
    schedule.stop();
    for (const end of ended) end();
    await pass(day);
    expect(polls).toHaveLength(4);
  });

  test("says once that polls are later than the next round, and again only after polls were on time", async () => {
    let end: () => void = () => undefined;
    answer = () => new Promise((resolve) => (end = () => resolve(undefined)));
    guildIds = ["a", "b"];
    create(every15s, createConcurrencyLimit(1, hour));
    schedule.start();
    await pass(20 * second);
    expect(logged.said()).toEqual([]);
    await pass(25 * second);
    expect(logged.said("warn")).toEqual([expect.stringContaining("polls run late")]);
    await pass(10 * minute);
    expect(logged.said("warn")).toHaveLength(1);

    answer = async () => undefined;
    end();
    await pass(minute);
    answer = () => new Promise(() => undefined);
    await pass(2 * minute);
    expect(logged.said("warn")).toHaveLength(2);
  });

  test("begins nothing before the start and after the stop", async () => {
    create(every15s);
    schedule.spread(["a"]);
    await pass(minute);
    expect(polls).toEqual([]);

    answer = async () => second;
    guildIds = ["a", "b"];
    schedule.start();
    await pass(0);
    schedule.stop();
    schedule.spread(["a"]);
    await pass(day);
    expect(polls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
