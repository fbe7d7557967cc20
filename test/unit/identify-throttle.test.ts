import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createIdentifyThrottle, identifiesTable } from "../../src/discord/gateway/identify-throttle.ts";
import { keptTable } from "../support/kept-table.ts";

/** Docs: Gateway, "Max Concurrency". */
const discordsMs = 5_000;

/** What the processes share. */
let entries: Map<string, string>;
/** Who identified when, monotonic ms since the test began. */
let identified: { readonly who: string; readonly at: number }[];
let began: number;

beforeEach(() => {
  vi.useFakeTimers();
  entries = new Map();
  identified = [];
  began = performance.now();
});
afterEach(() => vi.useRealTimers());

/** A process with these shards, all of which want to identify at once. */
function createProcess(who: string, { atOnce = 1, isAlone = false } = {}) {
  const kept = keptTable(identifiesTable, entries);
  const warnings: string[] = [];
  const silent = () => undefined;
  const throttle = createIdentifyThrottle({
    starts: { look: async () => undefined, atOnce: async () => atOnce, allowed: async () => undefined },
    claims: isAlone ? undefined : kept,
    log: { debug: silent, info: silent, warn: (_, message) => void warnings.push(message), error: silent },
  });
  const identify = (shardId: number, signal = new AbortController().signal) =>
    throttle.waitForIdentify(shardId, signal).then(
      () => void identified.push({ who: `${who}${shardId}`, at: performance.now() - began }),
      () => undefined,
    );
  return { kept, warnings, identify };
}

/** The shortest time between two identifies. */
function closest(): number {
  const gaps = identified.slice(1).map(({ at }, index) => at - (identified[index]?.at ?? 0));
  return Math.min(...gaps);
}
const lastAt = () => identified.at(-1)?.at ?? Number.POSITIVE_INFINITY;

test("shards of two processes identify 5 s apart, and lose no more than a few per cent of the time", async () => {
  const [one, other] = [createProcess("a"), createProcess("b")];
  for (let shard = 0; shard < 8; shard++) {
    void one.identify(shard);
    void other.identify(8 + shard);
  }

  await vi.advanceTimersByTimeAsync(90_000);

  expect(identified).toHaveLength(16);
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
  expect(lastAt()).toBeLessThan(15 * discordsMs * 1.04);
});

test("three processes that come and go at odd moments never identify within 5 s of each other", async () => {
  const processes = ["a", "b", "c"].map((who) => createProcess(who));
  for (const { kept } of processes) kept.slowMs = 30;
  for (let round = 0; round < 20; round++) {
    for (const [index, { identify }] of processes.entries()) void identify(3 * round + index);
    await vi.advanceTimersByTimeAsync(round % 5 === 0 ? 20_011 : 3_007);
  }
  await vi.advanceTimersByTimeAsync(400_000);

  expect(identified).toHaveLength(60);
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
});

test("of processes that claim at the same moment one identifies", async () => {
  for (const who of ["a", "b", "c", "d"]) void createProcess(who).identify(0);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(identified).toHaveLength(1);
});

test("buckets do not wait for each other", async () => {
  const { identify } = createProcess("a", { atOnce: 4 });
  for (let shard = 0; shard < 4; shard++) void identify(shard);

  await vi.advanceTimersByTimeAsync(600);

  expect(identified).toHaveLength(4);
});

test("a process that runs all shards asks no storage: the first goes at once, the next 5 s later", async () => {
  const { kept, identify } = createProcess("a", { isAlone: true });
  void identify(0);
  void identify(1);
  await vi.advanceTimersByTimeAsync(20_000);

  expect(identified.map(({ at }) => at)).toEqual([0, expect.closeTo(5_100, -2)]);
  expect(kept.operations).toEqual([]);
});

test("while the storage fails nobody identifies and one line says so; then it goes on", async () => {
  const { kept, warnings, identify } = createProcess("a");
  kept.isFailing = true;
  void identify(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(identified).toEqual([]);
  expect(warnings).toHaveLength(1);

  kept.isFailing = false;
  await vi.advanceTimersByTimeAsync(2_000);

  expect(identified).toHaveLength(1);
});

test("a storage that takes a second for everything slows the shards down, and stops none", async () => {
  const [one, other] = [createProcess("a"), createProcess("b")];
  for (const { kept } of [one, other]) kept.slowMs = 1_000;
  for (let shard = 0; shard < 2; shard++) {
    void one.identify(shard);
    void other.identify(2 + shard);
  }

  await vi.advanceTimersByTimeAsync(300_000);

  expect(identified).toHaveLength(4);
});

test("a clock that is set changes nothing", async () => {
  const [one, other] = [createProcess("a"), createProcess("b")];
  for (let shard = 0; shard < 3; shard++) {
    void one.identify(shard);
    void other.identify(3 + shard);
  }
  await vi.advanceTimersByTimeAsync(6_000);
  vi.setSystemTime(Date.now() + 86_400_000);
  await vi.advanceTimersByTimeAsync(6_000);
  vi.setSystemTime(Date.now() - 2 * 86_400_000);
  await vi.advanceTimersByTimeAsync(30_000);

  expect(identified).toHaveLength(6);
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
});

test("the claim of a process that was killed holds up the next one for 5 s from when it is seen", async () => {
  entries.set("0", JSON.stringify({ mark: "killed" }));
  const { identify } = createProcess("a");
  void identify(0);

  await vi.advanceTimersByTimeAsync(20_000);

  expect(identified[0]?.at).toBeGreaterThanOrEqual(discordsMs);
  expect(identified[0]?.at).toBeLessThan(discordsMs + 1_000);
});

test("a shard that lost its connection gives its place up, and no claim is left behind", async () => {
  const { identify } = createProcess("a");
  const closed = new AbortController();
  void identify(0);
  void identify(1, closed.signal);
  void identify(2);
  await vi.advanceTimersByTimeAsync(4_900);
  closed.abort(new Error("closed"));
  await vi.advanceTimersByTimeAsync(20_000);

  expect(identified.map(({ who }) => who)).toEqual(["a0", "a2"]);
  expect([...entries]).toEqual([]);
});

test("a process whose shard wants to identify again and again keeps no other one from it", async () => {
  const [flapping, other] = [createProcess("a"), createProcess("b")];
  let isOver = false;
  void (async () => {
    while (!isOver) await flapping.identify(0);
  })();
  await vi.advanceTimersByTimeAsync(1_000);
  void other.identify(1);
  await vi.advanceTimersByTimeAsync(60_000);
  const within = identified.map(({ who }) => who);
  isOver = true;
  await vi.advanceTimersByTimeAsync(10_000);

  expect(within).toContain("b1");
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
});
