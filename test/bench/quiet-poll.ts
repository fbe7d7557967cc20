import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { cpuOf } from "../support/process/process-usage.ts";
import { startCommand } from "../support/process/start-command.ts";
import { startChild } from "./child.ts";
import { type FleetPlan, startFleet } from "./fleet.ts";
import type { BareLoopCalls } from "./processes/bare-loop.ts";

const PAGE_SIZE = 100;
const windowMs = 60_000;
/** The bare loop takes its requests from these rounds of polls. */
const recordedRounds = 2;
/** The bare loop is then compiled as well as the bot. */
const warmUpMs = 30_000;

const plans: readonly FleetPlan[] = [
  { servers: 60, intervalMs: 5_000, pending: 300 },
  { servers: 30, intervalMs: 1_000, pending: 1_500 },
  { servers: 30, intervalMs: 1_000, pending: 1_500, followed: 1_500 },
];

/** The share of a core that the bot uses in the same servers without alerts. */
async function shareAtRest(plan: FleetPlan): Promise<number> {
  await using fleet = await startFleet({ ...plan, isAlerting: false });
  const [{ pid }] = fleet.bots;
  await wait(plan.intervalMs);
  const before = await cpuOf(pid);
  const from = performance.now();
  await wait(windowMs / 2);
  return ((await cpuOf(pid)) - before) / (performance.now() - from);
}

/**
 * Processor time of one API request in ms: of the bot, without what it uses at rest, and of the bare loop. Both run at the
 * same time, so that other work of the machine affects both. The loop repeats requests that the bot made just before, at the
 * same rate and with the same flags of Node.
 */
async function measure(plan: FleetPlan) {
  const atRest = await shareAtRest(plan);
  await using fleet = await startFleet(plan);
  const { store, storeUrl } = fleet;
  const [{ pid }] = fleet.bots;
  // A poll reads one page between the first and the last.
  await wait((Math.ceil(plan.pending / PAGE_SIZE) + 2) * plan.intervalMs);

  const roundMs = recordedRounds * plan.intervalMs;
  await store.call("reset");
  const recordedFrom = Date.now();
  await wait(roundMs);
  const recorded = await store.call("requests");
  const planned = recorded.map(({ at, path, token }) => ({ afterMs: at - recordedFrom, path, token }));
  const flags = startCommand.filter((argument) => argument.startsWith("--"));
  await using bare = await startChild<BareLoopCalls>("bare-loop.ts", flags);
  await bare.call("replay", storeUrl, planned, roundMs);
  await wait(warmUpMs);

  const used = async () => ({
    bot: await cpuOf(pid),
    bare: await cpuOf(bare.pid),
    ofBare: await bare.call("requests"),
  });
  await store.call("reset");
  const start = performance.now();
  const before = await used();
  await wait(windowMs);
  const after = await used();
  const elapsedMs = performance.now() - start;
  const { requests } = await store.call("counted");
  const ofBare = after.ofBare - before.ofBare;
  return {
    bot: (after.bot - before.bot - atRest * elapsedMs) / (requests - ofBare),
    bare: (after.bare - before.bare) / ofBare,
  };
}

async function rows(plan: FleetPlan): Promise<Figure[]> {
  const { servers, intervalMs, pending, followed = 0 } = plan;
  const { bot, bare } = await measure(plan);
  const name = `${servers} servers, every ${intervalMs / 1_000} s, ${rounded(pending)} pending, ${rounded(followed)} followed`;
  return [
    line(`${name}: processor time of a request`, bot, "ms", { baseline: `${rounded(bare)} ms` }),
    line("… ratio to the baseline", bot / bare, "", { target: atMost(1) }),
  ];
}

/** Polls that find nothing new, against the least that a poller can do. */
export async function reportQuietPoll(): Promise<Report> {
  const figures: Figure[] = [];
  for (const plan of plans) figures.push(...(await rows(plan)));
  return {
    title: "What a quiet poll costs",
    how: `Nothing is new. Processor time of the bot's process over ${windowMs / 1_000} s, less what it uses with alerts off. The baseline is a bare loop that makes the same requests at the same rate at the same time, with the same flags of Node: undici's \`request\`, \`JSON.parse\`, and a look-up in a Set for each order.`,
    figures,
  };
}
