import { expect, it } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { createRestHealth } from "../../src/discord/rest/rest-health.ts";

const minuteMs = 60_000;

it("Discord's API counts as away a minute after several requests failed, until one is answered or none was made for minutes", () => {
  let now = 0;
  const { metrics, notReady } = createRestHealth(noMetrics, () => now);
  const ask = (...statuses: (number | undefined)[]) => {
    for (const status of statuses) metrics.discordRequest("POST", "/x", status);
    now += minuteMs + 1;
  };

  ask(undefined, undefined, 503, 502);
  expect(notReady(), "one request, with its repeats").toBeUndefined();
  ask(undefined);
  expect(notReady()).toBe("discord: no request is answered");
  ask(403);
  expect(notReady()).toBeUndefined();
  ask(...Array(5).fill(500));
  expect(notReady()).toBe("discord: no request is answered");
  now += 6 * minuteMs;
  expect(notReady()).toBeUndefined();
  ask(500);
  expect(notReady(), "one attempt, long after the others").toBeUndefined();
});
