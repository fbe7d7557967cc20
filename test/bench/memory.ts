import { setTimeout as wait } from "node:timers/promises";
import { type Bot, createWorld } from "../support/world.ts";
import { memoryOf } from "./bot-process.ts";
import { atMost, type Figure, median, type Report, rounded } from "./figure.ts";
import { createSeededWorld } from "./seed.ts";

const settleMs = 15_000;
const collectMs = 2_000;
const collector = `data:text/javascript,process.on('SIGUSR2',()=>gc())`;
/** A process with these collects garbage at SIGUSR2. */
export const collectsGarbage = { NODE_OPTIONS: `--expose-gc --import=${collector}` };
const channels = Array.from({ length: 50 }, (_, index) => `channel-${index + 1}`);
const roles = Array.from({ length: 30 }, (_, index) => ({ name: `Role ${index + 1}` }));

const most = { atRest: 125, atPeak: 150, forFollowed: 10 };
/** Polled so often that each of the pages was read several times. */
const following = { servers: 100, intervalMs: 3_000, pending: 1_500 };
const followingMs = 75_000;

interface Memory {
  readonly peak: number;
  /** Median over 15 s: between two collections it goes up and down. */
  readonly settled: number;
  readonly collected: number;
}

/**
 * One start before the one that is measured, for Node's compile cache: flags of Node's own have one of their own. In a world
 * of its own, for a second start in one goes on with the first one's session.
 */
async function warmUp(environment: Readonly<Record<string, string>>): Promise<void> {
  await using world = await createWorld();
  const bot = await world.start(environment);
  await bot.printed('"msg":"ready"');
  await bot.stop();
}

async function read(bot: Bot): Promise<Memory> {
  const samples: number[] = [];
  for (let second = 0; second < settleMs / 1_000; second++) {
    await wait(1_000);
    samples.push((await memoryOf(bot.pid)).now);
  }
  const { peak } = await memoryOf(bot.pid);
  bot.signal("SIGUSR2");
  await wait(collectMs);
  return { peak, settled: median(samples), collected: (await memoryOf(bot.pid)).now };
}

/** Servers that have nothing but their channels and roles. */
async function atRest(servers: number): Promise<Memory> {
  await using world = await createWorld();
  const environment = { LOG_LEVEL: "info", ...collectsGarbage };
  await warmUp(environment);
  for (let count = 1; count < servers; count++) {
    world.discord.addGuild({ channels, roles, people: [{ name: "owner" }] });
  }
  const bot = await world.start(environment);
  await bot.printed(`"guilds":${servers}`, 60_000);
  return await read(bot);
}

/** Servers that are polled, so many of whose orders rang and are followed. */
async function polled(followed: number): Promise<Memory> {
  await using seeded = await createSeededWorld({ ...following, followed });
  const environment = { ...seeded.environment, LOG_LEVEL: "info", ...collectsGarbage };
  await warmUp(environment);
  const bot = await seeded.world.start(environment);
  await wait(followingMs);
  return await read(bot);
}

/** Resident memory of the bot's process, by servers. */
export async function reportMemory(servers: number): Promise<Report> {
  const one = await atRest(1);
  const many = await atRest(servers);
  const figure = (what: string, kind: keyof Memory, target: number): Figure => ({
    what,
    figure: many[kind],
    unit: "MB",
    baseline: `${rounded(one[kind])} MB with 1 server`,
    target: atMost(Math.round(many[kind]), target),
  });
  return {
    title: `Memory with ${rounded(servers)} servers`,
    how: `One process and one shard; each server with ${channels.length} channels and ${roles.length} roles, all of them sent when the bot connects. Resident memory (RSS).`,
    figures: [
      figure(`Over the first ${settleMs / 1_000} s of the connection, median`, "settled", most.atRest),
      figure("… after a garbage collection", "collected", most.atRest),
      figure("… at its highest, while the servers came in", "peak", most.atPeak),
    ],
  };
}

/** Resident memory of the bot's process, by orders that are followed. */
export async function reportFollowedMemory(): Promise<Report> {
  const none = await polled(0);
  const all = await polled(following.pending);
  const figure = (what: string, kind: keyof Memory): Figure => ({
    what,
    figure: all[kind] - none[kind],
    unit: "MB more",
    baseline: `${rounded(none[kind])} MB with none followed`,
    target: atMost(Math.round(all[kind] - none[kind]), most.forFollowed),
  });
  return {
    title: `Memory of ${rounded(following.pending)} followed orders in each of ${rounded(following.servers)} servers`,
    how: `Polls every ${following.intervalMs / 1_000} s, nothing new, ${rounded(following.pending)} pending orders in each store: all of them rung and followed, or none. Resident memory (RSS).`,
    figures: [
      figure(`After ${followingMs / 1_000} s of polls, median over ${settleMs / 1_000} s`, "settled"),
      figure("… after a garbage collection", "collected"),
    ],
  };
}
