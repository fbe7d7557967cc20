import { randomBytes } from "node:crypto";
import { setInterval as ticks, setTimeout as wait } from "node:timers/promises";
import { Stream } from "../simulation/randomness.ts";
import { collect, collectable, descriptorsOf } from "../support/process-usage.ts";
import { seedServers } from "../support/seed-servers.ts";
import type { Tenant } from "../support/tenants.ts";
import { type Bot, createWorld, type World } from "../support/world.ts";
import { planFaults } from "./faults.ts";
import { OrderWatch } from "./order-watch.ts";
import { looks, People } from "./people.ts";

export interface SoakPlan {
  readonly runMs: number;
  /** Whole seconds between polls of one server, at most 60. */
  readonly pollSeconds: number;
  readonly servers: number;
  /** The same seed gives the same faults, orders and people at the same times. */
  readonly seed: number;
  /** Gets a line about the state of the run every ten seconds. */
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

export interface SoakResult {
  readonly plan: SoakPlan;
  readonly orders: OrderWatch;
  readonly people: People;
  /** How often each kind came. */
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  /** After SIGTERM. */
  readonly exitCode: number | null;
}

const statuses = ["PAID", "COMPLETED", "CANCELLED", "EXPIRED", "REFUNDED", "BACKORDERED"] as const;
/** The simulated services remember requests for longer than any wait of the bot (5 minutes). */
const rememberedMs = 10 * 60_000;
/** No wait of the bot is longer than 5 minutes; the rest is for polls and Discord's limits. */
const drainMs = 6 * 60_000;

interface Run {
  readonly plan: SoakPlan;
  readonly world: World;
  readonly tenants: readonly Tenant[];
  readonly faults: Map<string, number>;
  readonly orders: OrderWatch;
  readonly people: People;
  readonly samples: Sample[];
  readonly beganAt: number;
  readonly bot: Bot;
  fault: string;
  /** A part of the run failed, so the others end. */
  hasFailed: boolean;
}

const elapsed = ({ beganAt }: Run) => performance.now() - beganAt;
const isOver = (run: Run) => run.hasFailed || elapsed(run) >= run.plan.runMs;

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

/** Each second orders come and change, and people look at them. */
async function liveOn(run: Run): Promise<void> {
  const { plan, tenants, orders, people, world } = run;
  const stream = new Stream(plan.seed, "life");
  for await (const _ of ticks(1_000)) {
    if (isOver(run)) return;
    orders.tick();
    // Once in sixty seconds, one server gets so many orders that several share a message.
    const burst = stream.chance(1 / 60) ? stream.pick(tenants) : undefined;
    for (let left = burst === undefined ? stream.between(0, 5) : 9; left > 0; left -= 1) {
      const changesAfterMs = stream.between(0, 2 * plan.pollSeconds * 1_000);
      orders.place(burst ?? stream.pick(tenants), changesAfterMs, stream.pick(statuses));
    }
    const [tenant, by, look] = [stream.pick(tenants), stream.pick(["owner", "staff"]), stream.pick(looks)];
    people.begin(tenant, by, look);
    world.discord.forget(Date.now() - rememberedMs);
    world.store.forget(Date.now() - rememberedMs);
  }
}

async function failNowAndThen(run: Run): Promise<void> {
  const { plan, tenants, faults } = run;
  const stream = new Stream(plan.seed, "servers");
  for (const { what, quietMs, forMs, begin } of planFaults(plan.seed, plan.runMs)) {
    if (isOver(run) || elapsed(run) + quietMs + forMs >= plan.runMs) return;
    await wait(quietMs);
    run.fault = what;
    faults.set(what, (faults.get(what) ?? 0) + 1);
    const end = begin(stream.pick(tenants), forMs);
    await wait(forMs);
    end?.();
    run.fault = "";
  }
}

function progress({ plan, orders, people, samples, fault }: Run): void {
  const { atMs = 0, rss, heap, descriptors } = samples.at(-1) ?? {};
  plan.print?.(
    [
      `${(atMs / 60_000).toFixed(1)} min`,
      `orders ${orders.placed}, alerted ${orders.alerted}, doubled ${orders.doubled}, to be edited ${orders.outdated}`,
      `commands ${people.answered}, unanswered ${people.unanswered.length}`,
      `RSS ${rss?.toFixed(1)} MB, heap ${heap?.toFixed(1)} MB, descriptors ${descriptors}`,
      fault || "no fault",
    ].join(" · "),
  );
}

/** About 60 samples in a run, at most one in two seconds and at least one in ten. */
async function watchProcess(run: Run): Promise<void> {
  const { bot } = run;
  let collections = 0;
  for await (const _ of ticks(Math.min(Math.max(run.plan.runMs / 60, 2_000), 10_000))) {
    if (isOver(run)) return;
    collections += 1;
    try {
      const [memory, descriptors] = await Promise.all([collect(bot, collections), descriptorsOf(bot.pid)]);
      run.samples.push({ atMs: elapsed(run), ...memory, descriptors });
    } catch (error) {
      throw new Error(`the bot ended by itself, or hangs; its last output:\n${bot.output().slice(-2_000)}`, {
        cause: error,
      });
    }
    progress(run);
  }
}

/** Waits until every order was alerted and edited, or until that cannot happen any more. */
async function drain({ orders, people }: Run): Promise<void> {
  const deadline = performance.now() + drainMs;
  for await (const _ of ticks(250)) {
    orders.tick();
    if (orders.missing + orders.outdated === 0 || performance.now() > deadline) break;
  }
  await people.idle();
}

/**
 * Runs the bot's own process for many servers, with orders, edits, people and faults all the time. Only the samples and the
 * bot's log grow with the time.
 */
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
    faults: new Map(),
    orders: new OrderWatch(world.discord),
    people: new People(),
    samples: [],
    bot,
    beganAt: performance.now(),
    fault: "",
    hasFailed: false,
  };
  const parts = [liveOn(run), failNowAndThen(run), watchProcess(run)];
  await Promise.all(parts).catch(async (error: unknown) => {
    run.hasFailed = true;
    await Promise.allSettled(parts);
    throw error;
  });
  await drain(run);
  const { orders, people, faults, samples } = run;
  const { code } = await bot.stop();
  return { plan, orders, people, faults, samples, exitCode: code };
}
