import { describe, expect, it, vi } from "vitest";
import { printable } from "../../src/basics/printable.ts";
import { readConfig } from "../../src/config.ts";
import { checkServers } from "../../src/doctor/check-servers.ts";
import { checkBot } from "../../src/doctor/check-storage.ts";
import { type ClockDifference, checkClock, checkSettings, checkStore } from "../../src/doctor/check-surroundings.ts";
import { type Finding, findingLines, ok, summaryOf, warn, wrong } from "../../src/doctor/finding.ts";
import { newGuild } from "../../src/guilds/guild.ts";
import { lockOutBots } from "../../src/polling/lock-out-bots.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { startStore } from "../sandbox/store/start-store.ts";

const second = 1_000;
const hour = 3_600_000;
const clocks = (discordMs: number, storeMs = discordMs): ClockDifference[] => [
  { whose: "Discord", ms: discordMs },
  { whose: "the store", ms: storeMs },
];

describe("settings", () => {
  it("that work but could be better are one warning each, with a remedy", async () => {
    const config = readConfig(
      {
        DISCORD_TOKEN: "a.b.c",
        STORE_API_URL: "http://store.example.com",
        ALLOW_HTTP: "1",
        STORAGE_URL: "postgres://storage/shopbell",
        QUEUE_URL: "redis://queue:6379",
      },
      () => true,
    );
    const unless = ", unless nobody else is on the way, as between containers in a network of their own";
    const found = await checkSettings(config, "no-such-directory/secret.key");
    const says = (line: string) => expect.stringMatching(new RegExp(`^${line} `));
    expect(found.filter((finding) => finding.state === "warn")).toEqual([
      warn(says("ALLOW_HTTP=1: STORE_API_URL"), "use https:// if the network in between is not all yours"),
      warn(says("STORAGE_URL"), `add sslmode=verify-full to it${unless}`),
      warn(says("QUEUE_URL"), `begin it with rediss://${unless}`),
    ]);
  });
});

describe("the clock", () => {
  it.each([
    [29 * second, "ok", "within 30 s of Discord and the store"],
    [-31 * second, "warn", "this machine's clock is 31 s ahead of Discord"],
    [299 * second, "warn", "this machine's clock is 5 min behind Discord"],
    [3 * hour, "wrong", "this machine's clock is 3 h behind Discord"],
  ])("%d ms off is %s", (ms, state, says) => {
    expect(checkClock(clocks(ms))).toMatchObject({ state, says });
  });

  it("of a store is blamed if it alone is wrong", () => {
    expect(checkClock(clocks(0, -2 * hour))).toMatchObject({
      state: "warn",
      says: "the store's clock is 2 h behind; this machine's is right",
    });
  });

  it("is judged by the store alone if Discord did not answer", () => {
    expect(checkClock([{ whose: "the store", ms: -hour }])).toMatchObject({
      state: "wrong",
      says: "this machine's clock is 60 min ahead of the store",
    });
  });
});

describe("the store's address", () => {
  it.each([
    ["an answer with an error", { status: 503 }, "wrong", "answers with an error (503)"],
    [
      "a page for people",
      { garbage: "<html>", headers: { "content-type": "text/html" } },
      "wrong",
      "answers 200 where a store's API asks for a token",
    ],
    ["some other API", { status: 200, body: { data: [] } }, "wrong", "answers 200 where"],
    ["an API without this list", { status: 404, body: { message: "Not Found" } }, "wrong", "answers 404 where"],
    ["an API that forbids it", { status: 403, body: { message: "Forbidden" } }, "ok", "asks for a token"],
    [
      "a redirect",
      { redirectTo: "https://elsewhere.example", headers: { "content-type": "text/html" } },
      "wrong",
      "answers 302",
    ],
  ])("is %s", async (_, fault, state, says) => {
    const store = await startStore();
    store.fail(fault);
    const { result } = await checkStore(store.url);
    expect(result).toMatchObject({ state, says: expect.stringContaining(says) });
    await store.close();
  });

  it("reports when the server answered", async () => {
    const at = Date.UTC(2026, 0, 1);
    const store = await startStore({ now: () => at });
    const { result, probe } = await checkStore(store.url);
    expect(result.state).toBe("ok");
    expect(probe).toMatchObject({ servedAt: at });
    await store.close();
  });
});

describe.concurrent("the bot", () => {
  it.each([
    ["all", "one runs on this storage", "start it: npm start"],
    ["gateway", "a worker polls on this storage", "with ROLE=worker"],
    ["worker", "a gateway (ROLE=gateway) has to answer people", "with ROLE=worker"],
  ] as const)(
    "with ROLE=%s is said to run, or how to start it",
    async (role, says, remedy) => {
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const storage = await openStorage("sqlite://:memory:", log);
      expect(await checkBot(storage, role)).toMatchObject({ state: "warn", remedy: expect.stringContaining(remedy) });
      const held = await lockOutBots(storage);
      expect(await checkBot(storage, role)).toMatchObject({ state: "ok", says: expect.stringContaining(says) });
      await held?.end({ release: true });
      await storage.close();
    },
    30_000,
  );
});

describe("a finding", () => {
  it("is broken between words at 80 columns, and its remedy is below it", () => {
    const lines = findingLines({
      check: "Server",
      ...wrong("word ".repeat(30).trim(), "do this"),
      server: "1".repeat(19),
    });
    expect(lines[0]).toMatch(/^✗ Server {3}1{19}: word/);
    expect(lines.at(-1)).toBe("           → do this");
    expect(lines.slice(1).every((line) => line.startsWith("           "))).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("leaves a link whole, however long it is", () => {
    const link = `https://${"x".repeat(90)}`;
    expect(findingLines({ check: "Discord", ...warn("look", `see ${link}`) })).toContain(`           ${link}`);
  });

  it("is counted by its state", () => {
    const all: Finding[] = [
      { check: "Node", ...ok("24") },
      { check: "Keys", ...warn("a", "b") },
      { check: "Store", ...wrong("a", "b") },
      { check: "Skipped", state: "skipped", says: "c" },
    ];
    expect(summaryOf(all)).toBe("1 thing is wrong, 1 warning, not everything was checked.");
    expect(summaryOf(all.slice(0, 1))).toBe("Nothing is wrong.");
  });

  it("contains no characters that move a terminal's cursor, in any of its parts", () => {
    const evil = "\u001b[2J\u009b31m\u202e";
    const lines = findingLines({ check: "Server", ...wrong(`says${evil}x`, `do${evil}y`), server: `1${evil}` });

    expect(lines).toEqual(["✗ Server   1 [2J 31m : says [2J 31m x", "           → do [2J 31m y"]);
  });

  it("shows no characters that move a terminal's cursor", () => {
    expect(printable("a\u001b[2Jb\r\nc\u202e")).toBe("a [2Jb c");
    expect(printable("x".repeat(500), 20)).toHaveLength(20);
  });
});

describe("the servers", () => {
  it("are checked although Discord never says which ones the bot is in", async () => {
    vi.useFakeTimers();
    const storage = await openStorage("sqlite://:memory:", { warn: () => undefined } as never);
    const findings = checkServers({
      config: readConfig({ DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" }, () => true),
      api: { users: { getGuilds: () => new Promise(() => undefined) } } as never,
      identity: { botId: "1", applicationId: "1", name: undefined, problems: [] },
      isStoreThere: false,
      storage,
      kept: { guilds: [newGuild("1")], unread: [] },
    });
    const first = findings.next();

    await vi.advanceTimersByTimeAsync(10_000);

    expect((await first).value).toMatchObject({ state: "ok", server: "1" });
    await findings.return(undefined);
    vi.useRealTimers();
    await storage.close();
  });
});
