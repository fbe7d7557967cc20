import { RateLimitError, REST } from "@discordjs/rest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GuildModel, PretendDiscord } from "../sandbox/discord/discord.ts";
import { type Bench, setUp } from "./sandbox-discord-bench.ts";

const hourMs = 3_600_000;
const sentence = "Maximum number of edits to messages older than 1 hour reached. Try again later.";

let bench: Bench;
let discord: PretendDiscord;
let guild: GuildModel;

beforeEach(async () => {
  bench = await setUp();
  discord = bench.discord;
  guild = discord.addGuild();
});
afterEach(() => bench.tearDown());

const pathOf = (channel: string) => `/channels/${guild.channel(channel)}/messages`;
const send = (channel = "new-orders") => bench.raw("POST", pathOf(channel), { content: "x" });
const edit = (id: unknown, channel = "new-orders") =>
  bench.raw("PATCH", `${pathOf(channel)}/${id}`, { content: "edited" });
const shown = (channel = "new-orders") => discord.messages(guild.channel(channel)).map(({ content }) => content);

describe("edits in the pretend Discord of messages older than an hour", () => {
  it.each([12, 600])("are refused on demand for %i s, whatever their age, while sends go on", async (seconds) => {
    const { body } = await send();
    const end = discord.fail({ method: "PATCH", path: /messages/, limited: { seconds, why: "old-edits" } });

    const refused = await edit(body.id);

    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ code: 30046, message: sentence, retry_after: seconds, global: false });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": String(seconds),
      "x-ratelimit-scope": "shared",
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "4",
    });
    expect(refused.headers.has("x-ratelimit-global")).toBe(false);
    expect((await send()).status).toBe(200);
    expect(shown()).toEqual(["x", "x"]);

    end();
    expect((await edit(body.id)).status).toBe(200);
    expect(shown()).toEqual(["edited", "x"]);
  });

  it("are limited by their age and in each channel by itself, when that is switched on", async () => {
    discord.limitOldEdits({ limit: 2, windowMs: 600_000 });
    const first = await send();

    const elsewhere = await send("staff");

    for (let count = 0; count < 4; count += 1) expect((await edit(first.body.id)).status).toBe(200);

    bench.forward(hourMs + 1);
    const young = await send();
    const statuses = async (...ids: readonly unknown[]) => {
      const answers: number[] = [];
      for (const id of ids) answers.push((await edit(id)).status);
      return answers;
    };

    expect(await statuses(first.body.id, first.body.id, young.body.id, young.body.id)).toEqual([200, 200, 200, 200]);

    bench.forward(5_000);
    const third = await edit(first.body.id);

    expect(third.status).toBe(429);
    expect(third.body).toMatchObject({ code: 30046, message: sentence, global: false });
    expect(third.body.retry_after).toBeGreaterThan(585);
    expect(third.body.retry_after).toBeLessThanOrEqual(595);
    expect(third.headers.get("retry-after")).toBe(String(Math.ceil(Number(third.body.retry_after))));
    expect([third.headers.get("x-ratelimit-scope"), third.headers.get("x-ratelimit-remaining")]).toEqual([
      "shared",
      "4",
    ]);
    expect((await edit(elsewhere.body.id, "staff")).status).toBe(200);
    expect([(await edit(young.body.id)).status, (await send()).status]).toEqual([200, 200]);

    bench.forward(600_000);
    expect(await statuses(first.body.id, first.body.id, first.body.id)).toEqual([200, 200, 429]);

    discord.limitOldEdits(undefined);
    expect((await edit(first.body.id)).status).toBe(200);
    expect(discord.refusals).toEqual([]);
  });

  it("that are refused reach the real client as a shared limit of their own route", async () => {
    const rest = new REST({ version: "10", api: discord.apiUrl, retries: 0, rejectOnRateLimit: () => true }).setToken(
      discord.token,
    );
    const path = pathOf("new-orders") as `/${string}`;
    const { id } = (await rest.post(path, { body: { content: "x" } })) as { id: string };
    discord.fail({ method: "PATCH", path: /messages/, limited: { seconds: 12, why: "old-edits" } });

    const error = await rest.patch(`${path}/${id}`, { body: { content: "y" } }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ scope: "shared", global: false, method: "PATCH" });
    expect((error as RateLimitError).sublimitTimeout).toBeGreaterThanOrEqual(12_000);
    await expect(rest.post(path, { body: { content: "z" } })).resolves.toMatchObject({ content: "z" });
    expect(shown()).toEqual(["x", "z"]);
  });
});

describe("any request to the pretend Discord", () => {
  it("can be asked to wait, as often as the rule says, and only where it applies", async () => {
    const mine = guild.channel("new-orders");
    discord.fail({ path: /messages$/, times: 1, when: ({ path }) => path.includes(mine), limited: { seconds: 2.5 } });

    expect((await send("staff")).status).toBe(200);

    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      message: "The resource is being rate limited.",
      retry_after: 2.5,
      global: false,
    });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "3",
      "x-ratelimit-scope": "shared",
      "x-ratelimit-remaining": "4",
    });
    expect((await send()).status).toBe(200);
    expect(shown()).toEqual(["x"]);
  });

  it("can be asked to wait for the whole bot's sake, with nothing said of its route", async () => {
    discord.fail({ path: /messages$/, times: 1, limited: { seconds: 65, why: "global" } });
    const { status, body, headers } = await send();

    expect(status).toBe(429);
    expect(body).toEqual({ message: "You are being rate limited.", retry_after: 65, global: true });
    expect(Object.fromEntries(headers)).toMatchObject({
      "retry-after": "65",
      "x-ratelimit-global": "true",
      "x-ratelimit-scope": "global",
    });
    expect(headers.has("x-ratelimit-limit")).toBe(false);
  });

  it("can be told one wait in the header and another in the body, as Discord was seen to do", async () => {
    discord.fail({ path: /messages$/, limited: { seconds: 1163.097 }, headers: { "retry-after": "1" } });
    const { body, headers } = await send();

    expect([headers.get("retry-after"), body.retry_after]).toEqual(["1", 1163.097]);
    expect(headers.get("x-ratelimit-scope")).toBe("shared");
  });

  it("that is asked to wait still counts against its route's own limit", async () => {
    const end = discord.fail({ path: /messages$/, limited: { seconds: 1 } });
    for (let count = 0; count < 5; count += 1) expect((await send()).headers.get("x-ratelimit-scope")).toBe("shared");

    end();
    const sixth = await send();

    expect([sixth.status, sixth.headers.get("x-ratelimit-scope")]).toEqual([429, "user"]);
  });
});
