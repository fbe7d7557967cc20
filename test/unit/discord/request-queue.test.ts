import type { REST } from "@discordjs/rest";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import { createRequestQueue, usualPerSecond } from "../../../src/discord/rest/request-queue.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const burst = budgets.discordRequests.burst * usualPerSecond;
const perSecond = budgets.discordRequests.perSecond * usualPerSecond;
const turnMs = 1_000 / perSecond;

describe("turns to send a request to Discord", () => {
  /** Requests that had a turn, in sequence. */
  let had: string[];
  let ask: (key: string, count: number, isUrgent?: boolean, signal?: AbortSignal) => void;

  function start(discordPerSecond = usualPerSecond) {
    const queue = createRequestQueue(discordPerSecond);
    had = [];
    ask = (key, count, isUrgent = false, signal) => {
      for (let asked = 0; asked < count; asked++) void queue(isUrgent, signal).then(() => had.push(key));
    };
  }

  useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  beforeEach(() => start());

  test.each([usualPerSecond, 10 * usualPerSecond])(
    "come at once until the burst is spent, then at the rate of the budget (%i a second)",
    async (allowed) => {
      start(allowed);
      const times = allowed / usualPerSecond;
      ask("a", 2 * allowed);
      await vi.advanceTimersByTimeAsync(0);
      expect(had).toHaveLength(burst * times);

      await vi.advanceTimersByTimeAsync(1_000);
      expect(had).toHaveLength((burst + perSecond) * times);
      expect(had.length, "Discord's limit in any second").toBeLessThanOrEqual(allowed);
    },
  );

  test("come even if Discord allows one request a second", async () => {
    start(1);
    ask("a", 3);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(had).toHaveLength(3);
  });

  test("go to urgent requests first, and to others every fourth time; within a class to the first that asked", async () => {
    for (let channel = 0; channel < 30; channel++) ask(`alert ${channel}`, 1, true);
    ask("look-up 1", 1);
    ask("look-up 2", 1);
    await vi.advanceTimersByTimeAsync(0);
    // Requests of the burst were served before any look-up asked.
    had = [];
    await vi.advanceTimersByTimeAsync(1_000);

    const alerts = Array.from({ length: 30 - burst }, (_, index) => `alert ${burst + index}`);
    expect(had.filter((key) => key.startsWith("alert"))).toEqual(alerts);
    expect([had.indexOf("look-up 1"), had.indexOf("look-up 2")]).toEqual([3, 7]);
  });

  test("are not used up by a request that is aborted", async () => {
    ask("a", burst);
    const gone = new AbortController();
    ask("b", 1, false, gone.signal);
    ask("c", 1);
    gone.abort();
    await vi.advanceTimersByTimeAsync(turnMs + 1);

    expect(had.slice(burst)).toEqual(["c"]);
  });
});

describe("the client for Discord's API", () => {
  let rest: REST;
  let arrived: string[];

  function connect(what: "requests" | "answers") {
    arrived = [];
    rest = createRest({
      token: "x.y.z",
      apiUrl: "http://discord.invalid",
      what,
      async makeRequest(url, { method }) {
        arrived.push(`${method} ${new URL(url).pathname.slice("/v10".length)}`);
        return Response.json({});
      },
    });
  }
  const alert = {
    components: [{ type: 1, components: [{ type: 2, style: 1, custom_id: "order:open:1", label: "x" }] }],
  };
  const notice = { components: [{ type: 17, components: [{ type: 10, content: "x" }] }] };
  const channel = (number: number) => String(100_000_000_000_000_000n + BigInt(number));

  useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

  const permissions = `/applications/${channel(701)}/guilds/${channel(702)}/commands/permissions` as const;
  test.each([
    ["an alert", `POST /channels/${channel(700)}/messages`],
    ["the look-up of a person's access", `GET ${permissions}`],
  ])("with notices in 200 channels waiting, %s leaves within a few turns", async (what, request) => {
    connect("requests");
    const calls = new AbortController();
    const { signal } = calls;
    const notices = Array.from({ length: 200 }, (_, index) =>
      rest.post(`/channels/${channel(index)}/messages`, { body: notice, signal }).catch(() => {}),
    );

    await vi.advanceTimersByTimeAsync(0);
    const asked =
      what === "an alert" ? rest.post(`/channels/${channel(700)}/messages`, { body: alert }) : rest.get(permissions);
    for (let turns = 0; turns < 5; turns++) await vi.advanceTimersByTimeAsync(turnMs);

    expect(arrived).toContain(request);
    expect(arrived.length).toBeLessThanOrEqual(burst + 5);
    await asked;

    calls.abort();
    await Promise.all(notices);
  });

  test("sends answers to interactions without a turn", async () => {
    connect("answers");
    // No time passes, so nothing has a turn beyond the burst.
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        rest.post(`/interactions/${channel(index)}/token/callback`, { body: {}, auth: false }),
      ),
    );

    expect(arrived).toHaveLength(200);
  });

  test("forgets the buckets of answered interactions within two minutes (0.1.0: within two hours)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    connect("answers");
    const edits = Array.from({ length: 40 }, (_, index) =>
      rest.patch(`/webhooks/${channel(1)}/token${index}/messages/@original`, { body: {}, auth: false }),
    );
    await Promise.all(edits);
    expect(rest.handlers.size).toBe(40);
    vi.advanceTimersByTime(120_000);
    expect(rest.handlers.size).toBe(0);
    await rest.patch(`/webhooks/${channel(1)}/token0/messages/@original`, { body: {}, auth: false });
    expect(arrived, "and begins again").toHaveLength(41);
  });
});
