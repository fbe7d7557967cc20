import { setTimeout as wait } from "node:timers/promises";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import { atMost, exactly, type Figure, type Report, rounded } from "./figure.ts";
import { type Fleet, startFleet, tokenOf, untilAllArePolled } from "./fleet.ts";

const plan = { servers: 1_000, intervalMs: 15_000, pending: 200, answerAfterMs: 50 };
const warmUpMs = 3 * plan.intervalMs;
const ordersPerSecond = 5;
const deadlineMs = 60_000;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Spreads orders over servers and moments, the same on every run. */
const goldenRatio = 0.6180339887498949;

interface Lag {
  /** From the order to its message, in ms, ascending. */
  readonly ms: readonly number[];
  readonly lost: number;
}

async function lagOf({ world: { discord }, store, guilds }: Fleet, orders: number): Promise<Lag> {
  const arrived = new Map<string, number>();
  const stop = discord.on("message", ({ message }) => {
    const at = Date.now();
    // In text or in the custom ids of its buttons.
    for (const id of JSON.stringify(message).match(uuid) ?? []) if (!arrived.has(id)) arrived.set(id, at);
  });
  const placed: { id: string; at: number }[] = [];
  const gapMs = 1_000 / ordersPerSecond;
  const from = performance.now();
  for (let count = 0; count < orders; count++) {
    await wait(Math.max(from + (count + ((count * goldenRatio) % 1)) * gapMs - performance.now(), 0));
    const guild: GuildModel | undefined = guilds[Math.floor(((count * goldenRatio) % 1) * guilds.length)];
    if (guild === undefined) throw new Error("no servers");
    placed.push(await store.call("place", tokenOf(guild)));
  }
  const areAllThere = () => (placed.every(({ id }) => arrived.has(id)) ? true : undefined);
  await discord.waitFor(areAllThere, "all alerts", deadlineMs).catch(() => undefined);
  stop();
  const ms = placed.flatMap(({ id, at }) => {
    const rang = arrived.get(id);
    return rang === undefined ? [] : [rang - at];
  });
  return { ms: ms.sort((one, other) => one - other), lost: placed.length - ms.length };
}

/** The least value that this share of the values does not exceed, in s. */
function quantile({ ms }: Lag, share: number): number {
  return (ms[Math.ceil(ms.length * share) - 1] ?? Number.NaN) / 1_000;
}

async function ofBot(workers: "none" | number, orders: number): Promise<Lag> {
  await using fleet = await startFleet({ ...plan, workers });
  await wait(warmUpMs);
  await untilAllArePolled(fleet, plan.intervalMs);
  return await lagOf(fleet, orders);
}

function rows(name: string, lag: Lag): Figure[] {
  const figure = (what: string, share: number): Figure => ({ what, figure: quantile(lag, share), unit: "s" });
  return [
    figure(`${name}: median`, 0.5),
    figure("… 95 of 100", 0.95),
    {
      ...figure("… 99 of 100", 0.99),
      // The interval, and two seconds for the store and Discord.
      target: atMost(Math.round(quantile(lag, 0.99) * 10) / 10, plan.intervalMs / 1_000 + 2),
    },
    { what: "… lost", figure: lag.lost, unit: "orders", target: exactly(lag.lost, 0) },
  ];
}

/** From an order to its message, while many servers are polled. */
export async function reportAlertLag(orders: number): Promise<Report> {
  const one = await ofBot("none", orders);
  const two = await ofBot(2, orders);
  return {
    title: `Alerts of ${rounded(plan.servers)} servers, polls every ${plan.intervalMs / 1_000} s`,
    how: `${rounded(orders)} orders, ${ordersPerSecond} a second, each in some server, from the order to its message; ${rounded(plan.pending)} pending orders in each store, which answers after ${plan.answerAfterMs} ms. The least that an interval allows is a median of ${plan.intervalMs / 2_000} s and at most ${plan.intervalMs / 1_000} s.`,
    figures: [...rows("One process", one), ...rows("Two workers", two)],
  };
}
