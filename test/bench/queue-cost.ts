import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { loadOf, queueCommands, startFleet, untilAllArePolled } from "./fleet.ts";

/** By then every worker has polled nearly every server, and knows its orders. */
const warmUpMs = 50_000;
/** 167 polls a second, as in scale.ts, so that no core is busy. */
const plan = { servers: 1_000, intervalMs: 6_000, pending: 30 };
/** 0: one process without a queue. */
const counts = [0, 1, 2, 4];
const windowMs = 60_000;
const mostGrowth = 1.2;

/** What the queue adds to the cost of a quiet poll, against one process without a queue. */
export async function reportQueueCost(): Promise<Report> {
  const figures: Figure[] = [];
  let alone: number | undefined;
  for (const workers of counts) {
    await using fleet = await startFleet({ ...plan, workers });
    await wait(warmUpMs);
    await untilAllArePolled(fleet, plan.intervalMs);
    const { cpu, polls, machine } = await loadOf(fleet, windowMs);
    const cost = cpu / polls;
    const name = workers === 0 ? "One process without a queue" : `${workers} ${workers === 1 ? "worker" : "workers"}`;
    figures.push(
      line(`${name}: processor time of a poll`, cost, "ms", { baseline: `load average ${rounded(machine)}` }),
    );
    if (workers === 0) {
      alone = cost;
      continue;
    }
    const perPoll = (await queueCommands(fleet, windowMs)) / (polls / (windowMs / 1_000));
    figures.push(
      line("… of one process without a queue", cost / (alone ?? cost), "", { target: atMost(mostGrowth) }),
      line("… commands to the queue's Redis for a poll", perPoll, "commands", { target: atMost(1) }),
    );
  }
  return {
    title: "The cost of the queue",
    how: `${rounded(plan.servers)} servers every ${plan.intervalMs / 1_000} s; ${plan.pending} pending orders in each store, nothing new, over ${windowMs / 1_000} s. The storage is the same Redis for all.`,
    figures,
  };
}
