import { PermissionFlagsBits } from "@discordjs/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFaults } from "../sandbox/discord/faults.ts";
import { type Bench, button, row, setUp, text, v2 } from "./sandbox-discord-bench.ts";

let bench: Bench;

beforeEach(async () => {
  bench = await setUp();
});

afterEach(() => bench.tearDown());

describe("a member of the pretend Discord who presses 400 times", () => {
  it("is heard 400 times, and each press knows the requests that were made for it", async () => {
    const { discord } = bench;
    const guild = discord.addGuild();
    const channel = guild.channel("new-orders");
    await bench.raw("POST", `/channels/${channel}/messages`, v2(text("x"), row(button("Open", "open"))));
    const [message] = discord.messages(channel);
    if (message === undefined) throw new Error("no message");
    // Past the client, which would spread these over 16 s.
    await bench.connect(async (_, event) => {
      await bench.callback(event, { type: 5 });
      await bench.webhook(event, "PATCH", { content: "no" });
    });
    const pressed: ReturnType<typeof discord.press>[] = [];
    // Each has to be answered within 3 s, on a busy machine as well.
    for (let round = 0; round < 8; round++) {
      const some = Array.from({ length: 50 }, () => discord.press(guild.person("member"), message, "open"));
      await Promise.all(some.map((press) => press.settled(20_000)));
      pressed.push(...some);
    }

    for (const { id, token, requests } of pressed) {
      expect(requests.map(({ method, path, status }) => [method, path, status])).toEqual([
        ["POST", `/interactions/${id}/${token}/callback`, 204],
        ["PATCH", `/webhooks/${discord.applicationId}/${token}/messages/@original`, 200],
      ]);
    }
  });
});

describe("the pretend Discord's answers that count towards a ban", () => {
  it("are counted from the beginning or from a moment on, without those for limits that others share", async () => {
    const { discord } = bench;
    const guild = discord.addGuild();
    const channel = guild.channel("new-orders");
    const send = () => bench.raw("POST", `/channels/${channel}/messages`, { content: "x" });

    expect(discord.invalidAnswers()).toEqual({ unauthorized: 0, forbidden: 0, limited: 0, total: 0 });

    await bench.raw("GET", "/users/@me", undefined, "wrong");
    discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
    for (let count = 0; count < 3; count += 1) await send();
    discord.fail({ path: /messages$/, times: 1, limited: { seconds: 1 } });
    discord.fail({ path: /messages$/, times: 1, limited: { seconds: 1, why: "global" } });
    bench.forward(5_000);
    await send();
    await send();

    expect(discord.invalidAnswers()).toEqual({ unauthorized: 1, forbidden: 3, limited: 1, total: 5 });

    bench.forward(600_000);
    const since = Date.now() + 600_000;
    discord.setBotPermissions(channel, {});
    for (let count = 0; count < 6; count += 1) await send();

    expect(discord.invalidAnswers(since)).toEqual({ unauthorized: 0, forbidden: 0, limited: 1, total: 1 });
  });
});

describe("the pretend Discord's distance", () => {
  it("delays the answers of one route or of all, faulty ones as well, and adds up", async () => {
    const { discord } = bench;
    const took = async (path: string) => {
      const from = performance.now();
      await bench.raw("GET", path);
      return performance.now() - from;
    };

    const near = discord.slow({ path: /^\/gateway$/, fromMs: 600, toMs: 800 });

    expect(await took("/users/@me")).toBeLessThan(500);
    // A timer may end up to a millisecond early.
    expect(await took("/gateway")).toBeGreaterThan(590);

    discord.fail({ path: /^\/gateway$/, status: 500, times: 1 });
    expect(await took("/gateway")).toBeGreaterThan(590);

    const all = discord.slow({ fromMs: 600, toMs: 600 });
    expect(await took("/gateway")).toBeGreaterThan(1_190);

    near();
    all();

    expect(await took("/gateway")).toBeLessThan(500);
  });

  it("is drawn for each request between its bounds", () => {
    const draws = [0, 0.5, 1];
    const faults = createFaults(() => draws.shift() ?? 0);
    faults.slow({ fromMs: 50, toMs: 100 });
    const request = { method: "GET", path: "/users/@me", query: {}, headers: {}, body: undefined, files: [], at: 0 };

    expect([1, 2, 3].map(() => faults.latencyMs(request))).toEqual([50, 75, 100]);
  });

  it("makes a first answer that arrives after 3 s too late", async () => {
    const { discord } = bench;
    const guild = discord.addGuild();
    await bench.publish();
    const interaction = bench.run(guild);

    bench.forward(2_990);
    discord.slow({ path: /callback$/, fromMs: 100, toMs: 100 });

    expect((await bench.callback(interaction, { type: 5 })).body.code).toBe(10062);
  });
});

it("the bot's servers come by id in pages of up to 200, those in an outage among them, those it left not", async () => {
  const { discord } = bench;
  const guilds = Array.from({ length: 205 }, () => discord.addGuild());
  const ids = guilds.map(({ id }) => id);
  discord.removeGuild(ids[3] ?? "");
  discord.setGuildUnavailable(ids[4] ?? "");
  const page = async (after?: string, limit = 200) => {
    const list = await bench.api.users.getGuilds({ limit, ...(after ? { after } : {}) });
    return list.map(({ id }) => id);
  };
  const first = await page();

  const second = await page(first.at(-1));

  expect(first).toHaveLength(200);
  expect([...first, ...second]).toEqual(ids.filter((id) => id !== ids[3]));
  expect(await page(second.at(-1))).toEqual([]);
  expect(await page(ids[0], 2)).toEqual([ids[1], ids[2]]);
  expect((await bench.raw("GET", "/users/@me/guilds?limit=201")).status).toBe(400);
  expect((await bench.raw("GET", "/users/@me/guilds?after=x")).status).toBe(400);
});

it("what the bot sends through the gateway is kept, without heartbeats and without the token in its place", async () => {
  const { discord } = bench;
  discord.addGuild();
  const { until } = await bench.connect();
  discord.gateway.drop();
  await until("Resumed", 1);
  const frames = discord.frames as { op: number; d: { token: string } }[];

  expect(frames.map(({ op, d }) => [op, d.token])).toEqual([
    [2, "token"],
    [6, "token"],
  ]);
});
