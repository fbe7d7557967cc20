import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { atMost, line, median, type Report, rounded } from "../support/figure.ts";
import { collect, collectable, memoryOf } from "../support/process-usage.ts";
import { type Bot, createWorld } from "../support/world.ts";
import { startFleet } from "./fleet.ts";

const settleMs = 15_000;
const channels = Array.from({ length: 50 }, (_, index) => `channel-${index + 1}`);
const roles = Array.from({ length: 30 }, (_, index) => ({ name: `Role ${index + 1}` }));

const most = { atRest: 125, atPeak: 150, forFollowed: 10 };
/** Polled so often that each of the pages was read several times. */
const following = { servers: 100, intervalMs: 3_000, pending: 1_500 };
const followingMs = 75_000;

/** The environment that the unit for systemd gives the process. */
const unit = readFileSync(new URL("../../docs/hosting/shopbell.service", import.meta.url), "utf8");
const ofUnit = Object.fromEntries(
  (/^Environment=(.*)$/m.exec(unit)?.[1] ?? "").split(" ").map((one) => one.split("=")),
) as Record<string, string>;

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
async function warmUp(): Promise<void> {
  await using world = await createWorld();
  const bot = await world.start(collectable);
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
  return { peak, settled: median(samples), collected: (await collect(bot)).rss };
}

/** Servers that have nothing but their channels and roles. */
async function atRest(servers: number): Promise<Memory> {
  await warmUp();
  await using world = await createWorld();
  for (let count = 1; count < servers; count++) {
    world.discord.addGuild({ channels, roles, people: [{ name: "owner" }] });
  }
  const bot = await world.start({ LOG_LEVEL: "info", ...ofUnit, ...collectable });
  await bot.printed(`"guilds":${servers}`, 60_000);
  return await read(bot);
}

/** Servers that are polled, so many of whose orders rang and are followed. */
async function polled(followed: number): Promise<Memory> {
  await warmUp();
  await using fleet = await startFleet({ ...following, followed });
  await wait(followingMs);
  return await read(fleet.bots[0]);
}

/** Resident memory of the bot's process, by servers. */
export async function reportMemory(servers: number): Promise<Report> {
  const one = await atRest(1);
  const many = await atRest(servers);
  const row = (what: string, kind: keyof Memory, target: number) =>
    line(what, many[kind], "MB", { baseline: `${rounded(one[kind])} MB with 1 server`, target: atMost(target) });
  return {
    title: `Memory with ${rounded(servers)} servers`,
    how: `One process and one shard; each server with ${channels.length} channels and ${roles.length} roles, all of them sent when the bot connects. Resident memory (RSS) of the process as the unit for systemd starts it.`,
    figures: [
      row(`Over the first ${settleMs / 1_000} s of the connection, median`, "settled", most.atRest),
      row("… after a garbage collection", "collected", most.atRest),
      row("… at its highest, while the servers came in", "peak", most.atPeak),
    ],
  };
}

/** Resident memory of the bot's process, by orders that are followed. */
export async function reportFollowedMemory(): Promise<Report> {
  const none = await polled(0);
  const all = await polled(following.pending);
  const row = (what: string, kind: keyof Memory) =>
    line(what, all[kind] - none[kind], "MB more", {
      baseline: `${rounded(none[kind])} MB with none followed`,
      target: atMost(most.forFollowed),
    });
  return {
    title: `Memory of ${rounded(following.pending)} followed orders in each of ${rounded(following.servers)} servers`,
    how: `Polls every ${following.intervalMs / 1_000} s, nothing new, ${rounded(following.pending)} pending orders in each store: all of them rung and followed, or none. Resident memory (RSS).`,
    figures: [
      row(`After ${followingMs / 1_000} s of polls, median over ${settleMs / 1_000} s`, "settled"),
      row("… after a garbage collection", "collected"),
    ],
  };
}
