import { beforeEach, expect, test, vi } from "vitest";
import { createGatewaySessions, gatewayTable } from "../../../src/discord/gateway/gateway-sessions.ts";
import { storageOf } from "../../../src/storage/open-storage.ts";
import { memoryBackend } from "../../support/engine/memory-backend.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const gatewayUrl = "wss://gateway.discord.gg";
const resumeURL = "wss://gateway-us-east1-b.discord.gg";

useFakeTimers();
let entries: Map<string, string>;
beforeEach(() => {
  entries = new Map();
});

function createProcess(applicationId = "1") {
  const kept = memoryBackend(entries);
  const storage = storageOf(kept);
  const { log, said } = recordedLog();
  const sessions = createGatewaySessions({ storage, applicationId, log });
  const load = (shardCount = 16, url = gatewayUrl) => sessions.load([0, 1], shardCount, url);
  /** An event of shard 0. */
  function heard(sequence: number) {
    const session = sessions.retrieve(0);
    if (session) sessions.update(0, { ...session, sequence });
  }
  return { kept, said, sessions, load, heard };
}

/** Shard 0 has begun and stored a session. */
async function begin() {
  const begun = createProcess();
  await begun.load();
  begun.sessions.update(0, { sessionId: "s", resumeURL, sequence: 1, shardId: 0, shardCount: 16 });
  begun.sessions.changed(0);
  await vi.advanceTimersByTimeAsync(0);
  return begun;
}

const writes = ({ kept }: { readonly kept: { readonly commits: number } }) => kept.commits;
const sequence = async () => (await storageOf(memoryBackend(entries)).table(gatewayTable).get("0"))?.sequence;

test.each<[string, string, number, string]>([
  ["of another bot", "2", 16, gatewayUrl],
  ["of another number of shards", "1", 8, gatewayUrl],
  ["at another domain than the gateway's", "1", 16, "wss://gateway.example.com"],
  ["at a domain that only ends like the gateway's", "1", 16, "wss://gateway.rd.gg"],
  ["over another protocol", "1", 16, "ws://gateway.discord.gg"],
  ["where the gateway's address is none", "1", 16, "no address"],
])("a session %s is not used: the token is sent nowhere else", async (_, applicationId, count, url) => {
  await begin();
  const next = createProcess(applicationId);

  await next.load(count, url);

  expect(next.sessions.retrieve(0)).toBeNull();
});

test("an event is stored only when its interaction is too old to be answered, and soon after", async () => {
  const process = await begin();
  /** By the event's number. */
  const times = [0, Date.now()];
  for (let event = 2; event <= 300; event++) {
    process.heard(event);
    times.push(Date.now());
    await vi.advanceTimersByTimeAsync(100);

    const stored = (await sequence()) ?? 0;
    const ageMs = Date.now() - (times[stored] ?? 0);
    if (stored > 1) expect(ageMs).toBeGreaterThanOrEqual(3_000);
    expect(ageMs).toBeLessThan(6_300);
  }
  expect(writes(process)).toBeLessThan(20);
});

test("the end writes the number of the last event, and later events change nothing", async () => {
  const process = await begin();
  process.heard(7);

  const ended = process.sessions.end();
  process.heard(8);
  process.sessions.update(0, null);
  await ended;
  await vi.advanceTimersByTimeAsync(5_000);

  expect(await sequence()).toBe(7);
});

test("a failing storage is logged once and delays no connection; the number is written once the storage works again", async () => {
  const process = createProcess();
  process.kept.isFailing = true;
  await process.load();
  expect(process.sessions.retrieve(0)).toBeNull();
  process.sessions.update(0, { sessionId: "s", resumeURL, sequence: 1, shardId: 0, shardCount: 16 });
  process.sessions.changed(0);
  await vi.advanceTimersByTimeAsync(10_000);
  process.heard(9);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(process.said("warn")).toEqual([
    expect.stringMatching(/^could not read the sessions with Discord/),
    expect.stringMatching(/^could not store the session with Discord/),
  ]);

  process.kept.isFailing = false;
  await vi.advanceTimersByTimeAsync(3_000);

  expect(await sequence()).toBe(9);
});

test("an uncertain write is not taken for one of another process", async () => {
  const process = await begin();
  process.kept.isLate = true;
  process.heard(7);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(process.said("warn")).toEqual([expect.stringMatching(/^could not store the session with Discord/)]);

  process.kept.isLate = false;
  process.heard(8);
  await vi.advanceTimersByTimeAsync(6_000);

  expect(await sequence()).toBe(8);
  expect(process.sessions.retrieve(0)?.sessionId).toBe("s");
});

test("a connection that was lost goes on with its session, also where the storage does not answer", async () => {
  const process = await begin();
  process.kept.slowMs = 60_000;
  process.sessions.changed(0);
  await vi.advanceTimersByTimeAsync(6_000);

  expect(process.sessions.retrieve(0)?.sessionId).toBe("s");
});

test.each([
  ["at once", 0],
  ["once the storage works again", 6_000],
])(
  "a shard that lost its connection notices %s that another process has its session, and stores no more",
  async (_, ms) => {
    const process = await begin();
    await vi.advanceTimersByTimeAsync(6_000);
    const other = createProcess();
    await other.load();
    process.kept.isFailing = ms > 0;
    process.sessions.changed(0);
    await vi.advanceTimersByTimeAsync(ms);
    process.kept.isFailing = false;
    await vi.advanceTimersByTimeAsync(ms);

    expect(process.sessions.retrieve(0)).toBeNull();
    process.sessions.update(0, { sessionId: "new", resumeURL, sequence: 9, shardId: 0, shardCount: 16 });
    process.sessions.changed(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([process.sessions.retrieve(0)?.sessionId, await sequence()]).toEqual(["new", 1]);
  },
);
