import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { loadOf, startFleet } from "./fleet.ts";

/** More than two cores can do. */
const plan = { servers: 2_000, intervalMs: 1_000, pending: 30 };
/** By then every worker has had nearly every server, and knows it. */
const warmUpMs = 50_000;
const mostGrowth = 1.1;

/** As many polls as more and more workers can do, and the cost of each. */
export async function reportWorkers(counts: readonly number[], windowMs: number): Promise<Report> {
  const figures: Figure[] = [];
  let alone: number | undefined;
  for (const workers of counts) {
    await using fleet = await startFleet({ ...plan, workers });
    await wait(warmUpMs);
    const { cpu, polls, seconds, fewest, machine } = await loadOf(fleet, windowMs);
    const [perSecond, cost] = [polls / seconds, cpu / polls];
    figures.push(
      line(`${workers} ${workers === 1 ? "worker" : "workers"}: polls`, perSecond, "polls/s", {
        baseline: `load average ${rounded(machine)}`,
      }),
      line("… of the server with the fewest", fewest / seconds, "polls/s", {
        baseline: `${rounded(perSecond / plan.servers)} polls/s of each`,
      }),
      line("… processor time of a poll", cost, "ms"),
    );
    if (alone === undefined) alone = cost;
    else figures.push(line("… with one worker = 1", cost / alone, "", { target: atMost(mostGrowth) }));
  }
  return {
    title: "One, two and four workers",
    how: `${rounded(plan.servers)} servers every second, which is more than this machine can do: then all are polled less often. ${plan.pending} pending orders in each store, nothing new, over ${windowMs / 1_000} s. Workers, both Redis and the store share the cores of one machine, so polls a second say what the machine can do, and processor time what a worker costs.`,
    figures,
  };
}
