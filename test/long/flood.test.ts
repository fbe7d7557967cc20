import { expect, test } from "vitest";
import { measureFlood } from "../support/flood.ts";
import { createWorld } from "../support/world.ts";

const intervalMs = 1_000;
// Far more than it takes: how long it takes is for the benchmarks to say.
const firstAnswerMs = 1_500;

test("members who press and type 600 times what they may not cost one request each, and another server notices nothing (0.1.0: two each, its command took 7.8 s and its alert, too)", async () => {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "info" });
  const { rangMs, answered, requestsOfRefused } = await measureFlood(world);

  expect(requestsOfRefused[0], "requests for one of the refused").toBe(1);
  expect(rangMs, "ms to ring").toBeLessThan(2 * intervalMs);
  expect(answered.at(-1), "ms to the slowest first answer").toBeLessThan(firstAnswerMs);
}, 60_000);
