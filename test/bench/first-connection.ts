import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { baselineTable } from "../../src/baseline/baseline-row.ts";
import { isDone } from "../../src/orders/baseline-state.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { atMost, exactly, line, type Report, rounded } from "../support/figure.ts";
import { listenForOrders } from "../support/shown-orders.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/world.ts";

const pollMs = 5_000;
const newOrderEveryMs = 7_000;
const deadlineMs = 15 * 60_000;
const minute = 60_000;

/** The most that lie within any second. `moments` in ms, ascending. */
function mostPerSecond(moments: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < moments.length; last++) {
    while ((moments[last] ?? 0) - (moments[first] ?? 0) >= 1_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

async function placeUntilRead(world: World): Promise<Map<string, number>> {
  const placed = new Map<string, number>();
  const storage = await openStorage(`sqlite://${join(world.directory, "data", "shopbell.sqlite")}`, {
    warn: () => undefined,
  });
  const baselines = storage.table(baselineTable);
  const deadline = performance.now() + deadlineMs;
  let nextOrder = performance.now();
  try {
    for (;;) {
      const row = await baselines.get(world.guild.id);
      if (row && isDone(row.reading)) break;
      if (performance.now() > deadline) throw new Error("the baseline was not read in time");
      if (performance.now() >= nextOrder) {
        placed.set(world.store.placeOrder().id, performance.now());
        nextOrder += newOrderEveryMs;
      }
      await wait(500);
    }
  } finally {
    await storage.close();
  }
  return placed;
}

/** Alerts are turned on in a store with so many pending orders; new ones arrive while these are read. */
export async function reportFirstConnection(pending: number): Promise<Report> {
  await using world = await createWorld();
  const oldest = Date.now() - (pending + 1) * minute;
  const baseline = world.store.placeOrders(pending, (index) => ({
    createdAt: new Date(oldest + index * minute).toISOString(),
  }));
  await world.start({ LOG_LEVEL: "warn", POLL_SCHEDULE: `*/${pollMs / 1_000} * * * * *` });
  await connectStore(world);
  const rung = listenForOrders(world, world.guild.channel("new-orders"));
  const requestsBefore = world.store.requests.length;
  const from = performance.now();
  await setAlerts(world);
  const answered = performance.now();
  const placed = await placeUntilRead(world);
  const done = performance.now();
  const moments = world.store.requests.slice(requestsBefore).map(({ at }) => at);
  await wait(pollMs + 2_000);

  const times = new Map(rung.map(({ id, at }) => [id, at]));
  const delays = [...placed].map(([id, at]) => ((times.get(id) ?? Number.POSITIVE_INFINITY) - at) / 1_000);
  const [first = Number.NaN] = delays;
  const old = new Set(baseline.map(({ id }) => id));
  const soon = atMost(pollMs / 1_000 + 1);
  const average = moments.length / ((done - from) / 1_000);
  const pages = Math.ceil(pending / 100);
  const none = { target: exactly(0) };
  return {
    title: `First connection of a store with ${rounded(pending)} pending orders`,
    how: `\`/alerts set\`, polls every ${pollMs / 1_000} s, a new order every ${newOrderEveryMs / 1_000} s while what was there before is read in the background.`,
    figures: [
      line("Answer to `/alerts set`", (answered - from) / 1_000, "s"),
      line("First new order, until it rings", first, "s", {
        baseline: `${rounded(pages / 5)} s to read all ${rounded(pages)} pages before at 5 a second`,
        target: soon,
      }),
      line(`Slowest of ${placed.size} new orders`, Math.max(...delays), "s", { target: soon }),
      line("API requests, most in any second", mostPerSecond(moments), "requests/s", { target: atMost(5) }),
      line("API requests, average", average, "requests/s", { target: atMost(5) }),
      line("Until all that was there before is read, forwards and backwards", (done - from) / 1_000, "s", {
        baseline: `floor ${rounded((2 * pages) / 5)} s at 5 a second`,
      }),
      line("Orders from before that rang", rung.filter(({ id }) => old.has(id)).length, "orders", none),
      line("New orders rung twice", rung.length - times.size, "orders", none),
    ],
  };
}
