import { setTimeout as wait } from "node:timers/promises";
import { createWorld } from "../e2e/harness.ts";
import { memoryOf, pidOf } from "./bot-process.ts";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";

const settleMs = 15_000;
const collectMs = 2_000;
/** Collects garbage at a signal. */
const collector = `data:text/javascript,process.on('SIGUSR2',()=>gc())`;
const channels = Array.from({ length: 50 }, (_, index) => `channel-${index + 1}`);
const roles = Array.from({ length: 30 }, (_, index) => ({ name: `Role ${index + 1}` }));

interface Memory {
  readonly peak: number;
  readonly settled: number;
  readonly collected: number;
}

async function measure(servers: number): Promise<Memory> {
  await using world = await createWorld();
  for (let count = 1; count < servers; count++) {
    world.discord.addGuild({ channels, roles, people: [{ name: "owner" }] });
  }
  const bot = await world.start({ LOG_LEVEL: "info", NODE_OPTIONS: `--expose-gc --import=${collector}` });
  await bot.printed(`"guilds":${servers}`, 60_000);
  await wait(settleMs);
  const pid = await pidOf(world);
  const { now: settled, peak } = await memoryOf(pid);
  process.kill(pid, "SIGUSR2");
  await wait(collectMs);
  const { now: collected } = await memoryOf(pid);
  return { peak, settled, collected };
}

/** Resident memory of the bot's process. */
export async function reportMemory(servers: number): Promise<Report> {
  const one = await measure(1);
  const many = await measure(servers);
  const figure = (what: string, kind: keyof Memory, target?: Figure["target"]): Figure => ({
    what,
    figure: many[kind],
    unit: "MB",
    baseline: `${rounded(one[kind])} MB with 1 server`,
    ...(target ? { target } : {}),
  });
  return {
    title: `Memory with ${rounded(servers)} servers`,
    how: `One process and one shard; each server with ${channels.length} channels and ${roles.length} roles, all of them sent when the bot connects. Resident memory (RSS).`,
    figures: [
      figure(`${settleMs / 1_000} s after the connection`, "settled", atMost(Math.round(many.settled), 150)),
      figure("… after a garbage collection", "collected", atMost(Math.round(many.collected), 150)),
      figure("… at its highest, while the servers came in", "peak"),
    ],
  };
}
