import { measureFlood } from "../support/flood.ts";
import { createWorld } from "../support/world.ts";
import { atMost, type Report, rounded } from "./figure.ts";

const intervalMs = 1_000;

/** What a server notices of members of another one who do what they may not, as fast as they can. */
export async function reportFlood(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "info" });
  const { rangMs, answered, requestsOfRefused } = await measureFlood(world);
  const percentile = (of: number) => answered[Math.ceil((answered.length * of) / 100) - 1] ?? Number.NaN;
  return {
    title: "A server beside one whose members flood",
    how: `A member of one server presses an alert's button 400 times at once, another one types \`/orders\` 200 times; neither may. Meanwhile an order of another server rings, and its people run ${rounded(answered.length)} commands, one after the other. Polls every ${rounded(intervalMs / 1_000)} s.`,
    figures: [
      {
        what: "Alert of the other server, from the order",
        figure: rangMs,
        unit: "ms",
        baseline: `interval ${rounded(intervalMs)} ms`,
        target: atMost(Math.round(rangMs), 2 * intervalMs),
      },
      { what: "Its first answers to commands, median", figure: percentile(50), unit: "ms" },
      {
        what: "The same, 99th percentile",
        figure: percentile(99),
        unit: "ms",
        target: atMost(Math.round(percentile(99)), 300),
      },
      {
        what: "Most requests to Discord for one that was refused",
        figure: requestsOfRefused[0] ?? Number.NaN,
        unit: "requests",
        target: atMost(requestsOfRefused[0] ?? Number.NaN, 1),
      },
    ],
  };
}
