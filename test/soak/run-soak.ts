import { randomBytes } from "node:crypto";
import { setInterval as ticks, setTimeout as wait } from "node:timers/promises";
import { Stream } from "../simulation/randomness.ts";
import { collect, collectable, descriptorsOf } from "../support/process/process-usage.ts";
import { seedServers } from "../support/process/seed-servers.ts";
import type { Tenant } from "../support/process/tenants.ts";
import { type Bot, createWorld, type World } from "../support/process/world.ts";
import { faults } from "./faults.ts";
import { OrderWatch } from "./order-watch.ts";
import { look, looks } from "./people.ts";

export interface SoakPlan {
  readonly runMs: number;
  /** Whole seconds between polls of one server, at most 60. */
  readonly pollSeconds: number;
  readonly servers: number;
  /** The same seed gives the same faults, orders and people at the same times. */
  readonly seed: number;
  /** Gets a line about the state of the run with each sample. */
  readonly print?: (line: string) => void;
}

/** After a garbage collection. Memory is in MB (10^6 bytes). */
export interface Sample {
  /** Since the run began. */
  readonly atMs: number;
  readonly rss: number;
  readonly heap: number;
  readonly descriptors: number;
}

interface Run {
  readonly plan: SoakPlan;
  readonly world: World;
  readonly tenants: readonly Tenant[];
  readonly bot: Bot;
  readonly orders: OrderWatch;
  readonly looking: Promise<void>[];
  readonly samples: Sample[];
  readonly beganAt: number;
  answered: number;
  /** A sentence for each command or press without an answer. */
  readonly unanswered: string[];
}

export type SoakResult = Pick<Run, "plan" | "orders" | "samples" | "answered" | "unanswered"> & {
  /** After SIGTERM. */
  readonly exitCode: number | null;
};

const statuses = ["PAID", "COMPLETED", "CANCELLED", "EXPIRED", "REFUNDED", "BACKORDERED"] as const;
/** The simulated services remember requests for longer than any wait of the bot (5 minutes). */
const rememberedMs = 10 * 60_000;
/** No wait of the bot is longer than 5 minutes; the rest is for polls and Discord's limits. */
const drainMs = 6 * 60_000;
/** Between two faults. */
const quietSeconds = 15;
const cycleSeconds = faults.reduce((sum, { seconds }) => sum + seconds + quietSeconds, 0);

const elapsed = ({ beganAt }: Run) => performance.now() - beganAt;
const isOver = (run: Run) => elapsed(run) >= run.plan.runMs;

/** For a bot that was not started yet. */
async function settleTenants(world: World, count: number, key: Buffer): Promise<readonly Tenant[]> {
  const tenants = Array.from({ length: count }, (): Tenant => {
    const shop = world.store.addShop();
    shop.placeOrders(25, () => ({ status: "COMPLETED" }));
    shop.seedProducts(12);
    return { ...world, guild: world.discord.addGuild(), shop };
  });
  const servers = tenants.map(({ guild, shop }) => ({ guild, token: shop.token }));
  await seedServers({ storageUrl: `sqlite://${world.database}`, key, servers });
  return tenants;
}

async function lookOnce(run: Run, ...[tenant, by, command]: Parameters<typeof look>): Promise<void> {
  try {
    await look(tenant, by, command);
    run.answered += 1;
  } catch (error) {
    run.unanswered.push(`/${command} in ${tenant.guild.id}: ${error}`);
  }
}

/** Each second orders come and change, and somebody looks at them. */
async function liveOn(run: Run): Promise<void> {
  const { plan, tenants, orders, looking, world } = run;
  const stream = new Stream(plan.seed, "life");
  for await (const _ of ticks(1_000)) {
    if (isOver(run)) return;
    orders.tick();
    // Once in sixty seconds, one server gets so many orders that several share a message.
    const burst = stream.chance(1 / 60) ? stream.pick(tenants) : undefined;
    for (let left = burst === undefined ? stream.between(0, 5) : 9; left > 0; left -= 1) {
      orders.place(burst ?? stream.pick(tenants), stream.pick(statuses));
    }
    looking.push(lookOnce(run, stream.pick(tenants), stream.pick(["owner", "staff"]), stream.pick(looks)));
    world.discord.forget(Date.now() - rememberedMs);
    world.store.forget(Date.now() - rememberedMs);
  }
}

/** Each kind of fault comes once, and then each once more. If a run is too short for all kinds, all times are shorter. */
async function failNowAndThen(run: Run): Promise<void> {
  const { plan, tenants } = run;
  const stream = new Stream(plan.seed, "servers");
  const paceMs = Math.min(1_000, (0.8 * plan.runMs) / cycleSeconds);
  while (!isOver(run)) {
    for (const { what, seconds, begin } of faults) {
      await wait(quietSeconds * paceMs);
      if (isOver(run)) return;
      plan.print?.(what);
      const end = begin(stream.pick(tenants), seconds * paceMs);
      await wait(seconds * paceMs);
      end?.();
    }
  }
}

function progress({ plan, orders, answered, unanswered, samples }: Run): void {
  const { atMs = 0, rss, heap, descriptors } = samples.at(-1) ?? {};
  plan.print?.(
    [
      `${(atMs / 60_000).toFixed(1)} min`,
      `orders ${orders.placed}, waiting ${orders.missing}, doubled ${orders.doubled}`,
      `commands ${answered}, unanswered ${unanswered.length}`,
      `RSS ${rss?.toFixed(1)} MB, heap ${heap?.toFixed(1)} MB, descriptors ${descriptors}`,
    ].join(" · "),
  );
}

/** About 60 samples in a run, at most one in two seconds and at least one in ten. */
async function watchProcess(run: Run): Promise<void> {
  const { bot, plan, samples } = run;
  for await (const _ of ticks(Math.min(Math.max(plan.runMs / 60, 2_000), 10_000))) {
    if (isOver(run)) return;
    try {
      const [memory, descriptors] = await Promise.all([collect(bot, samples.length + 1), descriptorsOf(bot.pid)]);
      samples.push({ atMs: elapsed(run), ...memory, descriptors });
    } catch (error) {
      throw new Error(`the bot ended by itself, or hangs; its last output:\n${bot.output().slice(-2_000)}`, {
        cause: error,
      });
    }
    progress(run);
  }
}

/** Waits until every order was alerted, or until that cannot happen any more. */
async function drain({ world, orders, looking }: Run): Promise<void> {
  const areAll = () => orders.missing === 0;
  await world.discord.waitFor(areAll, "every alert", drainMs).catch(() => undefined);
  await Promise.all(looking);
}

/** Runs the bot's own process for many servers, with orders, people and faults all the time. */
export async function runSoak(plan: SoakPlan): Promise<SoakResult> {
  await using world = await createWorld();
  const key = randomBytes(32);
  const tenants = await settleTenants(world, plan.servers, key);
  const bot = await world.start({
    ...collectable,
    LOG_LEVEL: "info",
    POLL_SCHEDULE: `*/${plan.pollSeconds} * * * * *`,
    SECRET_KEYS: key.toString("base64"),
  });
  const run: Run = {
    plan,
    world,
    tenants,
    bot,
    orders: new OrderWatch(world.discord, plan.pollSeconds * 1_000),
    looking: [],
    samples: [],
    beganAt: performance.now(),
    answered: 0,
    unanswered: [],
  };
  await Promise.all([liveOn(run), failNowAndThen(run), watchProcess(run)]);
  await drain(run);
  const { code } = await bot.stop();
  return { ...run, exitCode: code };
}
