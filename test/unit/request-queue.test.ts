import { getEventListeners } from "node:events";
import { createServer, type Server } from "node:http";
import { RateLimitError, type REST } from "@discordjs/rest";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { budgets } from "../../src/basics/budgets.ts";
import { createRequestQueue, type RequestQueue, usualPerSecond } from "../../src/discord/rest/request-queue.ts";
import { createRest } from "../../src/discord/rest/rest.ts";
import { listen } from "../support/listen.ts";

const burst = budgets.discordRequests.burst * usualPerSecond;
const perSecond = budgets.discordRequests.perSecond * usualPerSecond;
const turnMs = 1_000 / perSecond;

describe("turns to send a request to Discord", () => {
  let requests: RequestQueue;
  /** The requests that had a turn, in sequence. */
  let had: string[];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    requests = createRequestQueue();
    had = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const ask = (key: string, isUrgent = false, signal?: AbortSignal) =>
    requests.wait(isUrgent, signal).then((mayLeave) => {
      if (mayLeave) had.push(key);
      return mayLeave;
    });
  /** Queues requests without waiting for them. */
  const queue = (key: string, count: number, isUrgent = false) => {
    for (let asked = 0; asked < count; asked++) void ask(key, isUrgent);
  };

  test("come at once until the burst is spent, then at the rate of the budget", async () => {
    queue("a", 60);
    await vi.advanceTimersByTimeAsync(0);

    expect(had).toHaveLength(burst);

    await vi.advanceTimersByTimeAsync(1_000);
    expect(had).toHaveLength(burst + perSecond);
    expect(burst + perSecond, "Discord's limit in any second").toBeLessThanOrEqual(50);
  });

  test("are more where Discord allows the bot more", async () => {
    requests = createRequestQueue({ discordPerSecond: 10 * usualPerSecond });
    for (let channel = 0; channel < 100; channel++) queue(`c${channel}`, 10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(had).toHaveLength(10 * (burst + perSecond));
  });

  test("come even if Discord allows one request a second", async () => {
    requests = createRequestQueue({ discordPerSecond: 1 });
    queue("a", 3);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(had).toHaveLength(3);
  });

  test("go to urgent requests first, however many wait (0.1.0: after the first one of each channel)", async () => {
    for (let channel = 0; channel < 100; channel++) queue(`c${channel}`, 3);
    await vi.advanceTimersByTimeAsync(0);
    had = [];
    queue("alert", 1, true);
    await vi.advanceTimersByTimeAsync(turnMs + 1);

    expect(had).toEqual(["alert"]);
  });

  test.each([false, true])("go to the first that asked (urgent: %s)", async (isUrgent) => {
    for (let asked = 0; asked < burst + 5; asked++) queue(`r${asked}`, 1, isUrgent);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(had).toEqual(Array.from({ length: burst + 5 }, (_, index) => `r${index}`));
  });

  test("go to other requests every fourth time (0.1.0: never, with 45 busy channels)", async () => {
    for (let channel = 0; channel < 45; channel++) queue(`alert ${channel}`, 20, true);
    queue("look-up", 2);
    await vi.advanceTimersByTimeAsync(0);
    had = [];
    await vi.advanceTimersByTimeAsync(1_000);

    const isLookUp = had.map((key) => key === "look-up");

    expect(isLookUp.slice(0, 12)).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0].map(Boolean));

    queue("another look-up", 1);
    had = [];
    await vi.advanceTimersByTimeAsync(4 * turnMs);

    expect(had, "and not at once for having waited for none").toEqual([
      ...Array(3).fill(expect.stringContaining("alert")),
      "another look-up",
    ]);
  });

  test("are not used up by a request that is aborted: it leaves the queue at once", async () => {
    queue("a", burst);
    const gone = new AbortController();
    const rejected = ask("b", false, gone.signal).catch((error: unknown) => error);
    const after = ask("b");

    gone.abort(new Error("over"));

    expect(await rejected).toMatchObject({ message: "over" });
    expect(getEventListeners(gone.signal, "abort")).toEqual([]);

    await vi.advanceTimersByTimeAsync(turnMs + 1);
    expect(await after).toBe(true);
    expect(had.filter((key) => key === "b")).toHaveLength(1);
    await expect(ask("b", false, gone.signal)).rejects.toThrow("over");
  });

  test("are refused to a request that has waited for the longest time, and the next one gets the turn", async () => {
    requests = createRequestQueue({ longestWaitMs: 2 * turnMs });
    queue("a", burst + 2);
    const late = ask("b");
    const later = ask("c");
    await vi.advanceTimersByTimeAsync(2 * turnMs);

    expect(await late).toBe(false);
    expect(await later).toBe(false);

    const next = ask("d");
    await vi.advanceTimersByTimeAsync(turnMs);
    expect(await next).toBe(true);
  });

  test("are refused beyond 2,000 waiting requests of one class: a full queue of edits keeps no alert out", async () => {
    queue("first", burst);
    for (let channel = 0; channel < 200; channel++) queue(`c${channel}`, 10);

    expect(await ask("edit")).toBe(false);
    expect(requests.waitMs()).toBe(2_000 * turnMs);

    const alert = ask("alert", true);
    await vi.advanceTimersByTimeAsync(turnMs + 1);

    expect(await alert).toBe(true);

    await vi.advanceTimersByTimeAsync(2_001 * turnMs);
    expect(had).toHaveLength(burst + 2_000 + 1);

    const next = ask("edit");
    await vi.advanceTimersByTimeAsync(2 * turnMs);

    expect(await next, "and there is room again").toBe(true);
  });
});

describe("the client for Discord's API", () => {
  let server: Server;
  let address: string;
  let rest: REST;
  let arrived: string[];

  beforeEach(async () => {
    arrived = [];
    server = createServer((request, response) => {
      arrived.push(`${request.method} ${request.url?.slice("/v10".length)}`);
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    address = await listen(server);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function connect(what: "requests" | "answers") {
    rest = createRest({ token: "x.y.z", apiUrl: `http://${address}`, what });
  }
  const alert = {
    components: [{ type: 1, components: [{ type: 2, style: 1, custom_id: "order:open:1", label: "x" }] }],
  };
  const notice = { components: [{ type: 17, components: [{ type: 10, content: "x" }] }] };
  const channel = (number: number) => String(100_000_000_000_000_000n + BigInt(number));

  /** The burst, and the turns of 1.25 s: a machine may be slow. */
  const burstAndSomeTurns = burst + 1.25 * perSecond;

  const permissions = `/applications/${channel(701)}/guilds/${channel(702)}/commands/permissions` as const;
  test.each([
    ["an alert", `POST /channels/${channel(700)}/messages`],
    ["the look-up of a person's access", `GET ${permissions}`],
  ])("with notices in 600 channels waiting, %s leaves within a few turns", async (what, request) => {
    connect("requests");
    const calls = new AbortController();
    const { signal } = calls;
    const notices = Array.from({ length: 600 }, (_, index) =>
      rest.post(`/channels/${channel(index)}/messages`, { body: notice, signal }).catch(() => {}),
    );

    if (what === "an alert") await rest.post(`/channels/${channel(700)}/messages`, { body: alert });
    else await rest.get(permissions);

    expect(arrived).toContain(request);
    expect(arrived.length).toBeLessThan(burstAndSomeTurns);

    calls.abort();
    await Promise.all(notices);
  });

  test("rejects requests that are too many, with the time to wait", async () => {
    connect("requests");
    const calls = new AbortController();
    const { signal } = calls;
    const edit = () => rest.patch(`/channels/${channel(1)}/messages/${channel(2)}`, { body: {}, signal });
    const waiting = Array.from({ length: burst + 2_000 }, () => edit().catch(() => {}));

    const error = await edit().catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: expect.closeTo(2_000 * turnMs, -4) });

    calls.abort();
    await Promise.all(waiting);
  });

  test("sends answers to interactions without a turn", async () => {
    connect("answers");
    const callbacks = Array.from({ length: 200 }, (_, index) =>
      rest.post(`/interactions/${channel(index)}/token/callback`, { body: {}, auth: false }),
    );
    const from = performance.now();

    await Promise.all(callbacks);

    expect(performance.now() - from, "turns would take 4.75 s").toBeLessThan(3_000);
    expect(arrived).toHaveLength(200);
  });

  test("forgets the buckets of answered interactions within two minutes (0.1.0: within two hours)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      connect("answers");
      const edits = Array.from({ length: 40 }, (_, index) =>
        rest.patch(`/webhooks/${channel(1)}/token${index}/messages/@original`, { body: {}, auth: false }),
      );
      await Promise.all(edits);
      expect(rest.handlers.size).toBe(40);
      vi.advanceTimersByTime(120_000);
      expect(rest.handlers.size).toBe(0);
      await rest.patch(`/webhooks/${channel(1)}/token0/messages/@original`, { body: {}, auth: false });
      expect(arrived, "and begins anew").toHaveLength(41);
    } finally {
      vi.useRealTimers();
    }
  });
});
