import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";
import { loadOf, startFleet } from "./fleet.ts";

/** More than two cores can do; and what one worker can do easily. */
const crowded = { servers: 2_000, intervalMs: 1_000, pending: 30 };
const easy = { servers: 1_000, intervalMs: 10_000, pending: 30 };
const warmUpMs = 20_000;
const mostGrowth = 1.1;

/** Polls of one and the same load by more and more workers: as many as they can do, and the cost of each. */
export async function reportWorkers(counts: readonly number[], windowMs: number): Promise<Report> {
  const figures: Figure[] = [];
  for (const plan of [easy, crowded]) {
    const due = plan.servers / (plan.intervalMs / 1_000);
    let alone = Number.NaN;
    for (const workers of counts) {
      await using fleet = await startFleet({ ...plan, workers });
      await wait(warmUpMs);
      const { cpu, polls, seconds, fewest, machine } = await loadOf(fleet, windowMs);
      const cost = cpu / polls;
      if (Number.isNaN(alone)) alone = cost;
      const growth = cost / alone;
      figures.push(
        {
          what: `${rounded(due)} polls/s due, ${workers} ${workers === 1 ? "worker" : "workers"}: polls`,
          figure: polls / seconds,
          unit: "polls/s",
          baseline: `load average ${rounded(machine)}`,
        },
        { what: "… of the server with the fewest", figure: fewest / seconds, unit: "polls/s" },
        { what: "… processor time of a poll", figure: cost, unit: "ms" },
      );
      if (workers > 1) {
        figures.push({ what: "… with one worker = 1", figure: growth, unit: "", target: atMost(growth, mostGrowth) });
      }
    }
  }
  return {
    title: "One, two and four workers",
    how: `${rounded(easy.servers)} servers every ${easy.intervalMs / 1_000} s, which one worker can do; and ${rounded(crowded.servers)} servers every second, which is more than this machine can: then all are polled less often, and none is left out. ${easy.pending} pending orders in each store, nothing new, over ${windowMs / 1_000} s. Workers, both Redis and the store share the cores of one machine, so polls a second say what the machine can do, and processor time what a worker costs.`,
    figures,
  };
}
