import { setTimeout as wait } from "node:timers/promises";
import { atMost, exactly, type Figure, line, quantile, type Report, rounded } from "../support/figure.ts";
import { listenForOrders } from "../support/process/shown-orders.ts";
import { type Fleet, startFleet, tokenOf, untilAllArePolled } from "./fleet.ts";
import { evenly, spread } from "./spread.ts";

const plan = { servers: 1_000, intervalMs: 15_000, pending: 200, answerAfterMs: 50 };
const warmUpMs = 3 * plan.intervalMs;
const orders = 300;
const ordersPerSecond = 5;
const deadlineMs = 60_000;

/** Seconds from each order to its message, and the number of orders without one. */
async function lagOf({ world, store, guilds }: Fleet) {
  const rung = listenForOrders(world);
  const placed = new Map<string, number>();
  await evenly(orders, ordersPerSecond, async (index) => {
    const guild = guilds[Math.floor(spread(index) * guilds.length)];
    if (guild === undefined) throw new Error("no servers");
    const { id } = await store.call("place", tokenOf(guild));
    placed.set(id, performance.now());
  });
  const first = () => new Map(rung.toReversed().map(({ id, at }) => [id, at]));
  const areAllThere = () => ([...placed.keys()].every((id) => first().has(id)) ? true : undefined);
  await world.discord.waitFor(areAllThere, "all alerts", deadlineMs).catch(() => undefined);
  const times = first();
  const seconds = [...placed].flatMap(([id, at]) => {
    const rang = times.get(id);
    return rang === undefined ? [] : [(rang - at) / 1_000];
  });
  return { seconds, lost: placed.size - seconds.length };
}

async function measure(workers?: number) {
  await using fleet = await startFleet(workers === undefined ? plan : { ...plan, workers });
  await wait(warmUpMs);
  await untilAllArePolled(fleet, plan.intervalMs);
  return await lagOf(fleet);
}

const rows = (name: string, { seconds, lost }: Awaited<ReturnType<typeof lagOf>>): Figure[] => [
  line(`${name}: median`, quantile(seconds, 0.5), "s"),
  line("… 95 of 100", quantile(seconds, 0.95), "s"),
  // The interval, and two seconds for the store and Discord.
  line("… 99 of 100", quantile(seconds, 0.99), "s", { target: atMost(plan.intervalMs / 1_000 + 2) }),
  line("… lost", lost, "orders", { target: exactly(0) }),
];

/** Time from an order to its message, while many servers are polled. */
export async function reportAlertLag(): Promise<Report> {
  return {
    title: `Alerts of ${rounded(plan.servers)} servers, polls every ${plan.intervalMs / 1_000} s`,
    how: `${rounded(orders)} orders, ${ordersPerSecond} a second, each in some server, from the order to its message; ${rounded(plan.pending)} pending orders in each store, which answers after ${plan.answerAfterMs} ms. The least that an interval allows is a median of ${plan.intervalMs / 2_000} s and at most ${plan.intervalMs / 1_000} s.`,
    figures: [...rows("One process", await measure()), ...rows("Two workers", await measure(2))],
  };
}
