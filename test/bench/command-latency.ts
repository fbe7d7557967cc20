import { setTimeout as wait } from "node:timers/promises";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import type { World } from "../support/world.ts";
import { startChild } from "./child.ts";
import { atMost, type Report, rounded } from "./figure.ts";
import type { BareHandlerCalls } from "./processes/bare-handler.ts";
import { createSeededWorld } from "./seed.ts";

const plan = { servers: 500, intervalMs: 15_000, pending: 300 };
/** A command makes two requests to Discord, of which 50 a second go out. */
const commandsPerSecond = 10;
const deadlineMs = 10_000;
/** Spreads the moments over every phase of the polls, the same on every run. */
const goldenRatio = 0.6180339887498949;

/** Times from the event to the first answer, in ms, ascending. */
async function firstAnswers({ discord }: World, guilds: readonly GuildModel[], commands: number): Promise<number[]> {
  const answers: Promise<number>[] = [];
  const slotMs = 1_000 / commandsPerSecond;
  const from = performance.now();
  for (let count = 0; count < commands; count++) {
    const due = from + (count + ((count * goldenRatio) % 1)) * slotMs;
    await wait(Math.max(due - performance.now(), 0));
    // A person of another server each time: one alone would be too fast.
    const guild = guilds[count % guilds.length];
    if (guild === undefined) throw new Error("no servers");
    const place = { guildId: guild.id, channelId: guild.channel("staff") };
    const at = performance.now();
    const interaction = discord.command(guild.person("owner"), { ...place, name: "store", subcommand: "settings" });
    answers.push(interaction.answer(deadlineMs).then(() => performance.now() - at));
  }
  return (await Promise.all(answers)).sort((one, other) => one - other);
}

/** The least value that this share of the values does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Number.NaN;
}

/** First answers of the bot's process while many servers are polled. */
export async function reportCommandLatency(windowMs: number): Promise<Report> {
  await using seeded = await createSeededWorld(plan);
  const { world, guilds } = seeded;
  const commands = (windowMs / 1_000) * commandsPerSecond;
  const bot = await world.start(seeded.environment);
  await wait(2 * plan.intervalMs);
  const busy = await firstAnswers(world, guilds, commands);
  await bot.stop();
  await using bare = await startChild<BareHandlerCalls>("bare-handler.ts");
  await bare.call("connect", world.discord.apiUrl, world.discord.token);
  // The first ones are slow: nothing is compiled yet.
  await firstAnswers(world, guilds, commandsPerSecond);
  const idle = await firstAnswers(world, guilds, commands);
  const baseline = (share: number) => `${rounded(quantile(idle, share))} ms`;
  return {
    title: "First answer to a command while servers are polled",
    how: `${rounded(plan.servers)} servers with alerts on, polls every ${plan.intervalMs / 1_000} s, ${rounded(plan.pending)} pending orders in each store; ${rounded(commands)} times \`/store settings\`, ${commandsPerSecond} a second, each in another server, from Discord's event to the answer that the bot is at it. The baseline is a bare discord.js handler that defers at once and has nothing else to do.`,
    figures: [
      { what: "Median", figure: quantile(busy, 0.5), unit: "ms", baseline: baseline(0.5) },
      {
        what: "99 of 100",
        figure: quantile(busy, 0.99),
        unit: "ms",
        baseline: baseline(0.99),
        target: atMost(Math.round(quantile(busy, 0.99) * 10) / 10, 10),
      },
      { what: "Slowest", figure: quantile(busy, 1), unit: "ms", baseline: baseline(1) },
    ],
  };
}
