import { setTimeout as wait } from "node:timers/promises";
import { startCommand } from "../support/start-command.ts";
import { cpuOf } from "./bot-process.ts";
import { startChild } from "./child.ts";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";
import type { BareLoopCalls } from "./processes/bare-loop.ts";
import { createSeededWorld, type Servers } from "./seed.ts";

const PAGE_SIZE = 100;
/** Rounds of polls from which the bare loop takes its requests. */
const recordedRounds = 2;
/** The bare loop is compiled as well as the bot by then. */
const warmUpMs = 30_000;
const mostGrowth = 1.1;

/** As many servers as usual; and fewer that are polled more often, so that each of 50 pages was read before. */
const usual = { servers: 200, intervalMs: 15_000, pending: 300 };
const crowded = { servers: 30, intervalMs: 2_000, pending: 5_000 };
const followedCounts = [0, 1_500, 5_000];

interface Cost {
  /** Processor time of one API request, in ms: of the bot without what it uses at rest, and of the bare loop. */
  readonly bot: number;
  readonly bare: number;
  readonly requests: number;
  readonly polls: number;
}

/** Processor time that the bot uses at rest, as a share of a core: the same servers, and no alerts. */
async function shareAtRest(plan: Servers, windowMs: number): Promise<number> {
  await using seeded = await createSeededWorld({ ...plan, isAlerting: false });
  const { pid } = await seeded.world.start(seeded.environment);
  await wait(plan.intervalMs);
  const before = await cpuOf(pid);
  const from = performance.now();
  await wait(windowMs);
  return ((await cpuOf(pid)) - before) / (performance.now() - from);
}

/**
 * Bot and bare loop at the same time, so that whatever else the machine does meets both alike. The loop repeats requests
 * that the bot made just before, at the same rate, with the same flags of Node.
 */
async function measure(plan: Servers, windowMs: number): Promise<Cost> {
  await using seeded = await createSeededWorld(plan);
  const { world, store, environment } = seeded;
  const atRest = await shareAtRest(plan, windowMs / 2);
  const { pid } = await world.start(environment);
  // One page between the first and the last is read at a poll.
  await wait((Math.ceil(plan.pending / PAGE_SIZE) + 2) * plan.intervalMs);

  const roundMs = recordedRounds * plan.intervalMs;
  const recordedFrom = Date.now();
  await wait(roundMs);
  const recorded = await store.call("requests", recordedFrom, recordedFrom + roundMs);
  const planned = recorded.map(({ at, path, query, token }) => ({
    afterMs: at - recordedFrom,
    path: `${path}?${new URLSearchParams(query)}`,
    token,
  }));
  await using bare = await startChild<BareLoopCalls>(
    "bare-loop.ts",
    startCommand.filter((argument) => argument.startsWith("--")),
  );
  await bare.call("replay", environment.STORE_API_URL ?? "", planned, roundMs);
  await wait(warmUpMs);

  const from = Date.now();
  const start = performance.now();
  const before = { bot: await cpuOf(pid), bare: await cpuOf(bare.pid), ofBare: await bare.call("requests") };
  await wait(windowMs);
  const after = { bot: await cpuOf(pid), bare: await cpuOf(bare.pid), ofBare: await bare.call("requests") };
  const elapsedMs = performance.now() - start;
  const all = await store.call("requests", from, from + elapsedMs);
  const ofBare = after.ofBare - before.ofBare;
  const requests = all.length - ofBare;
  // Both ask for the first page equally often.
  const polls = (all.filter(({ query }) => query.page === "1").length * requests) / all.length;
  return {
    bot: (after.bot - before.bot - atRest * elapsedMs) / requests,
    bare: (after.bare - before.bare) / ofBare,
    requests: requests / (elapsedMs / 1_000),
    polls: polls / (elapsedMs / 1_000),
  };
}

function rows(name: string, { bot, bare, requests, polls }: Cost): Figure[] {
  return [
    { what: `${name}: processor time per API request`, figure: bot, unit: "ms", baseline: `${rounded(bare)} ms` },
    { what: "… ratio to the baseline", figure: bot / bare, unit: "", target: atMost(bot / bare, 1) },
    {
      what: "… API requests per poll",
      figure: requests / polls,
      unit: "requests",
      target: atMost(Math.round((requests / polls) * 10) / 10, 3),
    },
    { what: "… per second", figure: requests, unit: "requests/s" },
  ];
}

/** Polls to which nothing is new, in the bot's own process, against the least that a poller can do. */
export async function reportQuietPoll(windowMs: number): Promise<Report> {
  const figures = rows(
    `${usual.servers} servers, every ${usual.intervalMs / 1_000} s, ${rounded(usual.pending)} pending`,
    await measure(usual, windowMs),
  );
  let none = Number.NaN;
  for (const followed of followedCounts) {
    const cost = await measure({ ...crowded, followed }, windowMs);
    const ratio = cost.bot / cost.bare;
    const name = `${crowded.servers} servers, every ${crowded.intervalMs / 1_000} s, ${rounded(crowded.pending)} pending, ${rounded(followed)} of them rung and followed`;
    figures.push(...rows(name, cost));
    if (followed === 0) none = ratio;
    else {
      const growth = ratio / none;
      figures.push({
        what: "… ratio with none followed = 1",
        figure: growth,
        unit: "",
        target: atMost(growth, mostGrowth),
      });
    }
  }
  return {
    title: "What a quiet poll costs",
    how: `Nothing is new. Processor time of the bot's process over ${windowMs / 1_000} s, less what it uses with alerts off. The baseline is a bare loop that makes the same requests at the same rate at the same time, with the same flags of Node: undici's \`request\`, \`JSON.parse\`, and a look-up in a Set for each order.`,
    figures,
  };
}
