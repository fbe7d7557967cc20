import { randomBytes } from "node:crypto";
import { API } from "@discordjs/core";
import { expect, it, vi } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { checkClock } from "../../../src/doctor/check-clock.ts";
import { checkGateway, checkIdentity } from "../../../src/doctor/check-discord.ts";
import { checkServers } from "../../../src/doctor/check-servers.ts";
import { checkSettings } from "../../../src/doctor/check-settings.ts";
import { checkBot } from "../../../src/doctor/check-storage.ts";
import { checkStore } from "../../../src/doctor/check-store.ts";
import { type Finding, findingLines, ok, summaryOf, warn, wrong } from "../../../src/doctor/finding.ts";
import { newGuild } from "../../../src/guilds/guild.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { lockOutBots } from "../../../src/polling/lock-out-bots.ts";
import { startStore } from "../../sandbox/store/start-store.ts";
import { startAnsweringServer } from "../../support/answering-server.ts";
import { useStorage } from "../../support/use-storage.ts";

const second = 1_000;
const storage = useStorage();

it("a setting that works but could be better is a warning with a remedy", async () => {
  const environment = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "http://store.example.com", ALLOW_HTTP: "1" };
  const { results } = await checkSettings(readConfig(environment));
  expect(results.filter(({ state }) => state === "warn")).toEqual([
    warn(
      expect.stringMatching(/^ALLOW_HTTP=1: STORE_API_URL /),
      "use https:// if the network in between is not all yours",
    ),
  ]);
});

it.each([
  [29 * second, "ok", "within 30 s of Discord's"],
  [-31 * second, "warn", "this machine's clock is 31 s ahead of Discord's"],
  [299 * second, "warn", "this machine's clock is 5 min behind Discord's"],
  [10_800 * second, "wrong", "this machine's clock is 3 h behind Discord's"],
])("a clock %d ms off is %s", (ms, state, says) => {
  expect(checkClock(ms)).toMatchObject({ state, says });
});

it.each([
  ["an answer with an error", { status: 503 }, "wrong", "answers with an error (503)"],
  ["a page for people", { body: "<html>" }, "wrong", "answers 200 where a store's API asks for a token"],
  ["some other API", { status: 200, body: { data: [] } }, "wrong", "answers 200 where"],
  ["an API without this list", { status: 404, body: { message: "Not Found" } }, "wrong", "answers 404 where"],
  ["an API that forbids it", { status: 403, body: { message: "Forbidden" } }, "ok", "asks for a token"],
  [
    "the page of a firewall (before: an API)",
    { status: 403, headers: { "content-type": "text/html; charset=UTF-8" }, body: "<html>" },
    "wrong",
    "answers 403 where a store's API asks for a token",
  ],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.example" } }, "wrong", "answers 302"],
])("the store's address is %s", async (_, fault, state, says) => {
  const store = await startStore();
  store.fail(fault);
  const { results, value } = await checkStore(store.url);
  expect(results).toMatchObject([{ state, says: expect.stringContaining(says) }]);
  expect(value === true).toBe(state === "ok");
  await store.close();
});

it("a firewall that lets only the bot's requests through is no wrong address (before: it refused the doctor)", async () => {
  const server = await startAnsweringServer("1");
  server.answer = ({ headers }) =>
    headers["user-agent"]?.startsWith("Shopbell/")
      ? { status: 401 }
      : { status: 403, headers: { "content-type": "text/html" }, body: "<html>" };
  expect(await checkStore(server.address)).toMatchObject({ value: true });
  server.close();
});

it.each([
  ["a page of another server", { headers: { "content-type": "text/html" }, body: "<html>" }, "does not answer as"],
  ["a page that claims to be JSON", { status: 403, body: "<html>" }, "DISCORD_API_URL does not answer as Discord does"],
  ["a ban of the address", { status: 429, headers: { "retry-after": "3600" } }, "Discord allows no requests for now"],
  ["404, to everything", { status: 404, body: { message: "404: Not Found", code: 0 } }, "it is not known whether"],
])("Discord's address gives %s, which is not called a token that is accepted", async (_, answer, says) => {
  const server = await startAnsweringServer("1");
  server.answer = () => answer;
  const token = `${Buffer.from("123456789012345678").toString("base64")}.x.y`;

  const { results } = await checkIdentity(new API(createRest({ token, apiUrl: server.address })), token);
  server.close();

  expect(results).toMatchObject([{ says: expect.stringContaining(says) }]);
  expect(results[0]?.state).not.toBe("ok");
});

it("counts only the sessions that the bot begins: it leaves the last ten of the day unused", async () => {
  const server = await startAnsweringServer("1");
  const limit = { total: 1_000, reset_after: 60_000, max_concurrency: 1 };
  const judged = async (remaining: number) => {
    server.answer = () => ({
      body: { url: "wss://x.example", shards: 2, session_start_limit: { ...limit, remaining } },
    });
    return (await checkGateway(new API(createRest({ token: "x.y.z", apiUrl: server.address })))).state;
  };

  expect([await judged(12), await judged(11)]).toEqual(["ok", "wrong"]);
  server.close();
});

it("with ROLE=… a bot or worker is said to run, or how to start it", async () => {
  vi.useFakeTimers();
  const roles = [
    ["all", "a bot runs on this storage", "start one: npm start"],
    ["gateway", "a worker runs on this storage", "with ROLE=worker"],
    ["worker", "a gateway (ROLE=gateway) has to answer people", "with ROLE=worker"],
  ] as const;
  for (const [role, , remedy] of roles) {
    expect(await checkBot(storage, role)).toMatchObject({ state: "warn", remedy: expect.stringContaining(remedy) });
  }
  const held = await lockOutBots(storage);
  for (const [role, says] of roles) {
    const found = checkBot(storage, role);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await found).toMatchObject({ state: "ok", says: expect.stringContaining(says) });
  }
  await held?.end();
  vi.useRealTimers();
});

it("a finding is broken between words at 80 columns, with its remedy below it and nothing that moves a terminal's cursor", () => {
  const evil = "\u001b[2J\u009b31m\u202e";
  const link = `https://${"x".repeat(90)}`;
  const lines = findingLines({ check: "Server", ...wrong("word ".repeat(30), `see ${link}`), server: "1".repeat(19) });
  expect(lines[0]).toMatch(/^✗ Server {3}1{19}: word/);
  expect(lines.slice(1).every((line) => line.startsWith(" ".repeat(11)))).toBe(true);
  expect(lines.slice(-2)).toEqual([`${" ".repeat(11)}→ see`, `${" ".repeat(11)}${link}`]);
  expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(findingLines({ check: "Server", ...wrong(`says${evil}x`, `do${evil}y`), server: `1${evil}` })).toEqual([
    "✗ Server   1 [2J 31m : says [2J 31m x",
    "           → do [2J 31m y",
  ]);
});

it("the last line counts what is wrong", () => {
  const all: Finding[] = [
    { check: "Node", ...ok("24") },
    { check: "Keys", ...warn("a", "b") },
    { check: "Store", ...wrong("a", "b") },
    { check: "Skipped", state: "skipped", says: "c" },
  ];
  expect(summaryOf(all)).toBe("1 thing is wrong, 1 warning, not everything was checked.");
  expect(summaryOf(all.slice(0, 1))).toBe("Nothing is wrong.");
});

it("the servers are checked although Discord never says which ones the bot is in", async () => {
  vi.useFakeTimers();
  const findings = checkServers({
    config: readConfig({ DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" }),
    api: { users: { getGuilds: () => new Promise(() => undefined) } } as never,
    identity: { botId: "1", applicationId: "1", name: undefined, problems: [] },
    isStoreThere: false,
    vault: undefined,
    kept: { storage, guilds: [newGuild("1")], unread: [] },
  });
  const first = findings.next();

  await vi.advanceTimersByTimeAsync(10_000);

  expect((await first).value).toMatchObject({ state: "ok", server: "1" });
  await findings.return(undefined);
  vi.useRealTimers();
});

it("a store that does not answer is the store's trouble (before: an error of this program)", async () => {
  const server = await startAnsweringServer("1");
  server.answer = () => new Promise(() => undefined);
  const vault = createVault([randomBytes(32)]);
  const token = { sealed: vault.seal("tok", "1"), last4: "…tok", since: 0 };
  vi.useFakeTimers();
  const findings = checkServers({
    config: readConfig({ DISCORD_TOKEN: "a.b.c", STORE_API_URL: server.address }),
    api: {} as never,
    identity: undefined,
    isStoreThere: true,
    vault,
    kept: { storage, guilds: [{ ...newGuild("1"), token }], unread: [] },
  });
  const first = findings.next();

  await vi.advanceTimersByTimeAsync(10_000);

  expect((await first).value).toMatchObject({ state: "ok", says: "alerts are off" });
  expect((await findings.next()).value).toMatchObject({ says: "the store gave no list of orders (timeout)" });
  await findings.return(undefined);
  vi.useRealTimers();
  server.close();
});
