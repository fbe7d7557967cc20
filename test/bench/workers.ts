import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";
import { loadOf, startFleet } from "./fleet.ts";

/** More than two cores can do. */
const plan = { servers: 2_000, intervalMs: 1_000, pending: 30 };
/** By then every worker has had nearly every server, and knows it. */
const warmUpMs = 50_000;
const mostGrowth = 1.1;

/** As many polls as more and more workers can do, and the cost of each. */
export async function reportWorkers(counts: readonly number[], windowMs: number): Promise<Report> {
  const figures: Figure[] = [];
  let alone = Number.NaN;
  for (const workers of counts) {
    await using fleet = await startFleet({ ...plan, workers });
    await wait(warmUpMs);
    const { cpu, polls, seconds, fewest, machine } = await loadOf(fleet, windowMs);
    const cost = cpu / polls;
    if (Number.isNaN(alone)) alone = cost;
    figures.push(
      {
        what: `${workers} ${workers === 1 ? "worker" : "workers"}: polls`,
        figure: polls / seconds,
        unit: "polls/s",
        baseline: `load average ${rounded(machine)}`,
      },
      {
        what: "… of the server with the fewest",
        figure: fewest / seconds,
        unit: "polls/s",
        baseline: `${rounded(polls / seconds / plan.servers)} polls/s of each`,
      },
      { what: "… processor time of a poll", figure: cost, unit: "ms" },
    );
    if (workers === 1) continue;
    figures.push({
      what: "… with one worker = 1",
      figure: cost / alone,
      unit: "",
      target: atMost(cost / alone, mostGrowth),
    });
  }
  return {
    title: "One, two and four workers",
    how: `${rounded(plan.servers)} servers every second, which is more than this machine can do: then all are polled less often. ${plan.pending} pending orders in each store, nothing new, over ${windowMs / 1_000} s. Workers, both Redis and the store share the cores of one machine, so polls a second say what the machine can do, and processor time what a worker costs.`,
    figures,
  };
}
