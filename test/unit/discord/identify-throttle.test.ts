import { beforeEach, expect, test, vi } from "vitest";
import { createIdentifyThrottle } from "../../../src/discord/gateway/identify-throttle.ts";
import { storageOf } from "../../../src/storage/open-storage.ts";
import { memoryBackend } from "../../support/engine/memory-backend.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

/** Docs: Gateway, "Max Concurrency". */
const discordsMs = 5_000;

/** Shared by the processes. */
let entries: Map<string, string>;
/** Of all processes, in monotonic ms since the test began. */
let identified: { readonly who: string; readonly at: number }[];
let began: number;

useFakeTimers();
beforeEach(() => {
  entries = new Map();
  identified = [];
  began = performance.now();
});

/** All shards want to identify at once. */
function createProcess(who: string, { atOnce = 1, limit = { remaining: 1_000, reset_after: 1 } } = {}) {
  const kept = memoryBackend(entries);
  const { log, said } = recordedLog();
  const process = { isDiscordDown: false, asked: 0 };
  const throttle = createIdentifyThrottle({
    async fetchLimit() {
      process.asked++;
      if (process.isDiscordDown) throw new Error("down");
      return { ...limit, total: 1_000, max_concurrency: atOnce };
    },
    storage: storageOf(kept),
    log,
  });
  const identify = (shardId: number, signal = new AbortController().signal) =>
    throttle.waitForIdentify(shardId, signal).then(
      () => void identified.push({ who: `${who}${shardId}`, at: performance.now() - began }),
      () => undefined,
    );
  return Object.assign(process, { kept, said, limit, identify });
}

function closest(): number {
  const gaps = identified.slice(1).map(({ at }, index) => at - (identified[index]?.at ?? 0));
  return Math.min(...gaps);
}
const lastAt = () => identified.at(-1)?.at ?? Number.POSITIVE_INFINITY;

test("shards of two processes identify 5 s apart, and waste at most a tenth of the time", async () => {
  const [one, other] = [createProcess("a"), createProcess("b")];
  for (let shard = 0; shard < 8; shard++) {
    void one.identify(shard);
    void other.identify(8 + shard);
  }

  await vi.advanceTimersByTimeAsync(90_000);

  expect(identified).toHaveLength(16);
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
  expect(lastAt()).toBeLessThan(15 * discordsMs * 1.1);
});

test("while the storage fails a process keeps its own shards apart", async () => {
  const { kept, said, identify } = createProcess("a");
  kept.isFailing = true;
  void identify(0);
  void identify(1);
  await vi.advanceTimersByTimeAsync(20_000);

  expect(identified).toHaveLength(2);
  expect(closest()).toBeGreaterThanOrEqual(discordsMs);
  expect(said()).toContainEqual(expect.stringMatching(/^could not read whose turn it is/));
});

test("a clock that was set back by a day delays nobody", async () => {
  const { identify } = createProcess("a");
  await identify(0);
  vi.setSystemTime(Date.now() - 86_400_000);
  void identify(1);

  await vi.advanceTimersByTimeAsync(10_000);

  expect(identified).toHaveLength(2);
});

test("a shard that lost its connection gives its place up", async () => {
  const { identify } = createProcess("a");
  const closed = new AbortController();
  void identify(0);
  void identify(1, closed.signal);
  void identify(2);
  await vi.advanceTimersByTimeAsync(4_900);
  closed.abort(new Error("closed"));
  await vi.advanceTimersByTimeAsync(20_000);

  expect(identified.map(({ who }) => who)).toEqual(["a0", "a2"]);
  expect(closest()).toBeLessThan(discordsMs + 1_000);
});

test("the last ten sessions of the day are left unused, which is logged once; the next day new sessions begin", async () => {
  const { identify, limit, said } = createProcess("a", {
    atOnce: 16,
    limit: { remaining: 12, reset_after: 3_600_000 },
  });
  for (let shard = 0; shard < 3; shard++) void identify(shard);
  limit.remaining = 10;
  await vi.advanceTimersByTimeAsync(3_000_000);
  expect(identified).toHaveLength(2);
  expect(said()).toEqual([expect.stringMatching(/^Discord allows no more sessions for now/)]);

  limit.remaining = 1_000;
  await vi.advanceTimersByTimeAsync(600_000);

  expect(identified).toHaveLength(3);
});

test("while Discord's API does not answer, a shard waits, and then connects by itself", async () => {
  const process = createProcess("a");
  process.isDiscordDown = true;
  void process.identify(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(identified).toHaveLength(0);
  expect(process.said()).toContainEqual(expect.stringMatching(/^could not read Discord's limit of sessions/));

  process.isDiscordDown = false;
  await vi.advanceTimersByTimeAsync(5_000);

  expect(identified).toHaveLength(1);
});
