import { expect, test } from "vitest";
import { measureNeighbours } from "../support/neighbours.ts";
import { createWorld } from "../support/world.ts";

// Far more than it takes: how long it takes is for the benchmarks to say.
const alertMs = 5_000;
const firstAnswerMs = 1_500;

test("one server's held requests and another one's 4 MiB of orders hold up neither alerts nor commands of a third", async () => {
  await using world = await createWorld();
  await world.start();
  const { rang, answered, held, crowded } = await measureNeighbours(world);
  // Both neighbours were what they are here to be, all the time.
  expect(held, "requests held open at the end").toBeGreaterThan(0);
  expect(crowded, "answers of 4 MiB meanwhile").toBeGreaterThan(1);

  const shown = (took: readonly number[]) => `ms: ${took.map(Math.round).join(", ")}`;
  expect(Math.max(...rang), `alerts, ${shown(rang)}`).toBeLessThan(alertMs);
  expect(Math.max(...answered), `first answers, ${shown(answered)}`).toBeLessThan(firstAnswerMs);
}, 90_000);
