import { measureNeighbours } from "../support/neighbours.ts";
import { createWorld } from "../support/world.ts";
import { atMost, type Report, rounded } from "./figure.ts";

const intervalMs = 1_000;

/** What a server notices of two others that spoil what all of them share. */
export async function reportNeighbours(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "warn" });
  const { rang, answered, held, crowded } = await measureNeighbours(world);
  const slowest = Math.max(...answered);
  return {
    title: "A server beside two that misbehave",
    how: `400 commands of one server wait for a store that answers nothing (${held} requests of its token held open: a token has no more); another one's store answers 4 MiB with 49,000 orders at every poll (${rounded(crowded)} times meanwhile). The third one's alerts and commands are timed. Polls every ${rounded(intervalMs / 1_000)} s.`,
    figures: [
      {
        what: "Slowest of 3 alerts, from the order",
        figure: Math.max(...rang),
        unit: "ms",
        baseline: `interval ${rounded(intervalMs)} ms`,
        target: atMost(Math.round(Math.max(...rang)), 2 * intervalMs),
      },
      {
        what: "Slowest of 20 first answers to commands",
        figure: slowest,
        unit: "ms",
        target: atMost(Math.round(slowest), 100),
      },
    ],
  };
}
