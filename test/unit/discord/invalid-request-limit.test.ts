import { describe, expect, test } from "vitest";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import type { Log } from "../../../src/basics/log.ts";
import { createInvalidRequestLimit, type Send } from "../../../src/discord/rest/invalid-request-limit.ts";
import { recordedLog, silentLog } from "../../support/recorded-log.ts";
import { useFixture } from "../../support/use-fixture.ts";

const { windowMs, most } = budgets.invalidRequests;
const channel = (number: number) => String(100_000_000_000_000_000n + BigInt(number));
const messages = (number: number) => `https://discord.example/api/v10/channels/${channel(number)}/messages`;

describe("answers of 401, 403 and 429", () => {
  /** `asked`: requests that reached Discord. */
  const world = useFixture(() => ({
    now: 0,
    asked: 0,
    answer: () => Response.json({ message: "Missing Access", code: 50001 }, { status: 403 }),
  }));
  const discord: Send = async () => {
    world.asked++;
    return world.answer();
  };
  const sendOf = (log: Log = silentLog) => createInvalidRequestLimit({ log, monotonic: () => world.now })(discord);
  const post = (send: Send, number: number) => send(messages(number), { method: "POST" });

  test("are at most the budget and one for each resource, however many requests there are (0.1.0: one for each request)", async () => {
    const send = sendOf();
    const resources = 50;
    const requests = 4 * most;

    for (let request = 0; request < requests; request++) {
      const { status } = await post(send, request % resources);
      expect(status).toBe(403);
      world.now += windowMs / (requests + 1);
    }

    expect(world.asked).toBeGreaterThanOrEqual(most);
    expect(world.asked).toBeLessThanOrEqual(most + resources);
  });

  test("are repeated unchanged without a request; other requests are still sent", async () => {
    const send = sendOf();
    for (let request = 0; request < most; request++) await post(send, 1);

    const [again, other] = [await post(send, 1), await send(messages(1), { method: "GET" })];

    expect(world.asked).toBe(most + 1);
    for (const given of [again, other]) {
      expect(given.status).toBe(403);
      expect(given.headers.get("content-type")).toContain("application/json");
      expect(await given.json()).toEqual({ message: "Missing Access", code: 50001 });
    }

    world.answer = () => Response.json({ id: "1" });
    expect((await post(send, 2)).status).toBe(200);
    expect((await post(send, 2)).status).toBe(200);
    expect(world.asked).toBe(most + 3);
  });

  test("count no longer after 10 minutes, with one warning at the beginning and one at the end", async () => {
    const { log, said } = recordedLog();
    const send = sendOf(log);

    for (let request = 0; request < most + 100; request++) await post(send, 1);

    expect(world.asked).toBe(most);
    expect(said("warn")).toHaveLength(1);

    world.now += windowMs - 1;
    await post(send, 1);

    expect(world.asked).toBe(most);

    world.now += 10_001;
    world.answer = () => Response.json({ id: "1" });

    expect((await post(send, 1)).status).toBe(200);
    expect(said("warn")).toHaveLength(2);
  });

  /** Refusals of other channels turn the brake on and keep it on. */
  async function braking() {
    const send = sendOf();
    for (let request = 0; request < most; request++) await post(send, 1_000 + request);
    return send;
  }
  const limited = (headers: Record<string, string>) => () =>
    Response.json({ message: "You are being rate limited." }, { status: 429, headers });
  const fine = () => Response.json({ id: "1" });

  test("end with their rate limit while the brake is on, but not within a minute; others when they are 10 minutes old", async () => {
    const send = await braking();
    const refuse = world.answer;
    await post(send, 2);
    world.answer = limited({ "retry-after": "90" });
    await post(send, 1);
    world.answer = limited({ "retry-after": "0.01" });
    await post(send, 3);
    const before = world.asked;
    world.answer = fine;

    world.now = 59_000;
    const given = await post(send, 1);
    expect(given.status).toBe(429);
    expect(given.headers.get("retry-after")).toBe("31");
    expect((await post(send, 3)).status).toBe(429);
    expect(world.asked).toBe(before);

    world.now = 60_000;
    expect((await post(send, 3)).status).toBe(200);
    world.now = 90_000;
    expect((await post(send, 1)).status).toBe(200);
    world.now = windowMs - 1;
    expect((await post(send, 2)).status).toBe(403);
    expect(world.asked).toBe(before + 2);

    // Other channels keep the budget spent.
    world.answer = refuse;
    for (let request = 0; request < most; request++) await post(send, 10_000 + request);
    [world.answer, world.now] = [fine, windowMs];

    expect((await post(send, 2)).status).toBe(200);
    expect((await post(send, 10_000)).status, "the brake is still on").toBe(403);
  });

  test.each([
    [429, {}, true],
    [429, { "x-ratelimit-scope": "user" }, true],
    [429, { "x-ratelimit-scope": "global" }, true],
    [429, { "x-ratelimit-scope": "shared" }, false],
    [401, {}, true],
    [404, {}, false],
    [500, {}, false],
  ])(
    "(%i with the headers %o) count towards the budget: %s",
    async (status, headers: Record<string, string>, counts) => {
      world.answer = () => Response.json({ message: "no", retry_after: 1 }, { status, headers });
      const send = sendOf();

      for (let request = 0; request < most + 10; request++) await post(send, 1);

      expect(world.asked).toBe(counts ? most : most + 10);
    },
  );

  test("are remembered for 8,000 channels, the last ones: with the budget, less than Discord's 10,000", async () => {
    const send = sendOf();
    for (let request = 0; request < 8_000; request++) await post(send, request);
    const before = world.asked;

    for (let request = 0; request < 8_000; request++) await post(send, request);

    expect(world.asked).toBe(before);

    for (let request = 8_000; request < 8_100; request++) await post(send, request);
    await post(send, 8_099);

    expect(world.asked).toBe(8_100);
    await post(send, 0);
    expect(world.asked).toBe(8_101);
  });

  test("of 401 are one line in the log when Discord knew the token before, but not for answers to interactions", async () => {
    const { log, at } = recordedLog();
    const send = sendOf(log);
    const refuse = () => Response.json({ message: "401: Unauthorized", code: 0 }, { status: 401 });
    world.answer = refuse;
    await post(send, 1);
    world.answer = () => Response.json({ id: "1" });
    await post(send, 1);
    world.answer = refuse;
    await send("https://discord.example/api/v10/webhooks/1/token/messages/@original", { method: "PATCH" });
    expect(at("error")).toEqual([]);

    for (let request = 0; request < 10; request++) await post(send, request);

    expect(at("error")).toEqual([expect.objectContaining({ message: expect.stringContaining("DISCORD_TOKEN") })]);
  });
});
