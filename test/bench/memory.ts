import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { atMost, line, median, type Report, rounded } from "../support/figure.ts";
import { collect, collectable, memoryOf } from "../support/process/process-usage.ts";
import { type Bot, createWorld } from "../support/process/world.ts";
import { startFleet } from "./fleet.ts";

const settleMs = 15_000;
const servers = 2_500;
const channels = Array.from({ length: 50 }, (_, index) => `channel-${index + 1}`);
const roles = Array.from({ length: 30 }, (_, index) => ({ name: `Role ${index + 1}` }));

const most = { atRest: 125, atPeak: 150, forFollowed: 10 };
/** So frequent that each page is read several times. */
const following = { servers: 100, intervalMs: 3_000, pending: 1_500 };
const followingMs = 75_000;

/** As the systemd unit sets it. */
const unit = readFileSync(new URL("../../docs/hosting/shopbell.service", import.meta.url), "utf8");
const ofUnit = Object.fromEntries(
  (/^Environment=(.*)$/m.exec(unit)?.[1] ?? "").split(" ").map((one) => one.split("=")),
) as Record<string, string>;

interface Memory {
  readonly peak: number;
  /** Median over 15 s, because the memory goes up and down between two collections. */
  readonly settled: number;
  readonly collected: number;
  readonly heap: number;
}

/**
 * Fills Node's compile cache, because each set of Node's flags has a cache of its own. The bot has a world of its own,
 * because a second start in a world resumes the session of the first one.
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
  const { rss, heap } = await collect(bot);
  return { peak, settled: median(samples), collected: rss, heap };
}

/** A bot in servers that have only channels and roles. */
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

/** A bot in servers that are polled. `followed` orders of each were alerted and are followed. */
async function polled(followed: number): Promise<Memory> {
  await warmUp();
  await using fleet = await startFleet({ ...following, followed });
  await wait(followingMs);
  return await read(fleet.bots[0]);
}

/** With one server and with many. */
export async function reportMemory(): Promise<Report> {
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

/** With followed orders and without. */
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
    how: `Polls every ${following.intervalMs / 1_000} s, nothing new, ${rounded(following.pending)} pending orders in each store: all of them rung and followed, or none.`,
    figures: [
      row(`Resident memory after ${followingMs / 1_000} s of polls, median over ${settleMs / 1_000} s`, "settled"),
      row("… after a garbage collection", "collected"),
      row("Heap after the garbage collection", "heap"),
    ],
  };
}
