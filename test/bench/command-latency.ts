import { setTimeout as wait } from "node:timers/promises";
import { atMost, line, quantile, type Report, rounded } from "../support/figure.ts";
import { startChild } from "./child.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { BareHandlerCalls } from "./processes/bare-handler.ts";
import { evenly } from "./spread.ts";

const plan = { servers: 500, intervalMs: 15_000, pending: 300 };
/** A command makes two requests to Discord, and a bot may send 50 requests a second. */
const commandsPerSecond = 10;
const commands = 600;
const deadlineMs = 10_000;

/** Milliseconds from each event to its first answer. */
async function firstAnswers({ world: { discord }, guilds }: Fleet, count: number): Promise<number[]> {
  const answers: Promise<number>[] = [];
  await evenly(count, commandsPerSecond, (index) => {
    // A person of another server each time, because one person alone would be slowed down.
    const guild = guilds[index % guilds.length];
    if (guild === undefined) throw new Error("no servers");
    const place = { guildId: guild.id, channelId: guild.channel("staff") };
    const at = performance.now();
    const interaction = discord.command(guild.person("owner"), { ...place, name: "store", subcommand: "settings" });
    answers.push(interaction.answer(deadlineMs).then(() => performance.now() - at));
  });
  return Promise.all(answers);
}

/** First answers while many servers are polled. */
export async function reportCommandLatency(): Promise<Report> {
  await using fleet = await startFleet(plan);
  const { discord } = fleet.world;
  await wait(2 * plan.intervalMs);
  const busy = await firstAnswers(fleet, commands);
  await fleet.bots[0].stop();
  await using bare = await startChild<BareHandlerCalls>("bare-handler.ts");
  await bare.call("connect", discord.apiUrl, discord.token);
  // The first answers are slow, because the code is not compiled yet.
  await firstAnswers(fleet, commandsPerSecond);
  const idle = await firstAnswers(fleet, commands);
  const of = (share: number) => quantile(busy, share);
  const baseline = (share: number) => `${rounded(quantile(idle, share))} ms`;
  return {
    title: "First answer to a command while servers are polled",
    how: `${rounded(plan.servers)} servers with alerts on, polls every ${plan.intervalMs / 1_000} s, ${rounded(plan.pending)} pending orders in each store; ${rounded(commands)} times \`/store settings\`, ${commandsPerSecond} a second, each in another server, from Discord's event to the answer that the bot is at it. The baseline is a bare discord.js handler that defers at once and has nothing else to do.`,
    figures: [
      line("Median", of(0.5), "ms", { baseline: baseline(0.5) }),
      line("99 of 100", of(0.99), "ms", { baseline: baseline(0.99), target: atMost(10) }),
      line("Slowest", of(1), "ms", { baseline: baseline(1) }),
    ],
  };
}
