import { randomBytes } from "node:crypto";
import { setInterval as ticks, setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { type Bot, createWorld, type World } from "../support/world.ts";
import { draws } from "./draws.ts";
import { FaultWindows } from "./fault-windows.ts";
import { planFaults, type Site } from "./faults.ts";
import { type Fate, OrderWatch } from "./order-watch.ts";
import { lookArbitrary, People } from "./people.ts";
import { collect, collectable, look, type Sample } from "./process-samples.ts";
import { settleTenants, type Tenant } from "./tenants.ts";

/** What to run. */
export interface SoakPlan {
  readonly runMs: number;
  /** Whole seconds between polls of one server, at most 60. */
  readonly pollSeconds: number;
  readonly servers: number;
  /** The same seed gives the same faults, orders and people at the same times. */
  readonly seed: number;
  /** Is given a line about how things are, now and then. */
  readonly print?: (line: string) => void;
}

/** What came of it. */
export interface SoakResult {
  readonly plan: SoakPlan;
  readonly orders: Pick<OrderWatch, "placed" | "rung" | "doubled" | "settled" | "reverted" | "longest"> & {
    readonly lost: number;
    readonly editsMissing: number;
  };
  readonly commands: Pick<People, "sent" | "answered" | "unanswered" | "cut" | "sorryOutsideFaults" | "told">;
  /** How often each kind came. */
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  /** Requests that Discord would not have taken. */
  readonly refusals: number;
  /** Exit code of the last start, after SIGTERM. */
  readonly exitCode: number | null;
  /** What stands in the bot's `data/` at the end, in MB (10^6 bytes). */
  readonly disk: number;
}

/** Orders that are placed at once; 3 on average. One in sixty seconds brings more than alerts give a message each. */
const atOnce = fc.oneof(
  { weight: 59, arbitrary: fc.integer({ min: 0, max: 5 }).map((count) => ({ count, isBurst: false })) },
  { weight: 1, arbitrary: fc.constant({ count: 9, isBurst: true }) },
);
const statuses = ["PAID", "COMPLETED", "CANCELLED", "EXPIRED", "REFUNDED", "BACKORDERED"] as const;
/** What the pretend services remember: longer than any wait of the bot's (5 minutes), so that nothing it needs is gone. */
const rememberedMs = 10 * 60_000;
/** A message that is right for so long stays right: by then a kill or a late repeat would have changed it. */
const lookAgainMs = 60_000;
/** No wait of the bot's is longer than 5 minutes; the rest is for polls and Discord's limits. */
const drainMs = 6 * 60_000;
const shownOfLog = 2_000;
const progressSeconds = 10;
const [shortestSampleMs, longestSampleMs] = [2_000, 10_000];
/** Between two collections, in samples: a collection changes what is measured. */
const collectEvery = 3;

/** A run that goes on, as its parts know it. */
interface Run {
  readonly plan: SoakPlan;
  readonly world: World;
  readonly tenants: readonly Tenant[];
  readonly windows: FaultWindows;
  readonly orders: OrderWatch;
  readonly people: People;
  readonly samples: Sample[];
  readonly beganAt: number;
  bot: Bot;
  /** Which start of the bot; between a kill and the next start it is none. */
  life: number;
  isUp: boolean;
  /** One of its parts failed: the others need not go on. */
  hasFailed: boolean;
  collections: number;
}

const elapsed = ({ beganAt }: Run) => performance.now() - beganAt;
const isOver = (run: Run) => run.hasFailed || elapsed(run) >= run.plan.runMs;

/** Orders come and change, and people look at them, each second until the end. */
async function liveOn(run: Run): Promise<void> {
  const { plan, tenants, orders, people } = run;
  const anyone = draws(fc.constantFrom(...tenants), plan.seed);
  const counts = draws(atOnce, plan.seed);
  const looks = draws(fc.record({ look: lookArbitrary, tenant: fc.constantFrom(...tenants) }), plan.seed);
  const fates = draws<Fate>(
    fc.record({
      changesAfterMs: fc.integer({ min: 0, max: 2 * plan.pollSeconds * 1_000 }),
      lastStatus: fc.constantFrom(...statuses),
    }),
    plan.seed,
  );
  let seconds = 0;
  for await (const _ of ticks(1_000)) {
    if (isOver(run)) return;
    seconds += 1;
    if (seconds % progressSeconds === 0) progress(run);
    orders.tick();
    const { count, isBurst } = counts.next().value;
    let tenant = anyone.next().value;
    for (let placed = 0; placed < count; placed += 1) {
      orders.place(tenant, fates.next().value);
      if (!isBurst) tenant = anyone.next().value;
    }
    const look = looks.next().value;
    // Discord tells a person at once that a bot is not there.
    if (run.isUp) people.begin(look.tenant, look.look);
    run.world.discord.forget(Date.now() - rememberedMs);
    run.world.store.forget(Date.now() - rememberedMs);
  }
}

async function failNowAndThen(run: Run, site: Site): Promise<void> {
  const { plan, tenants, windows } = run;
  for (const { fault, tenant, quietMs, forMs } of planFaults(plan.seed, tenants, plan.runMs)) {
    if (isOver(run) || elapsed(run) + quietMs + forMs >= plan.runMs) return;
    await wait(quietMs);
    const close = windows.open(fault.what, fault.ofAll ? undefined : tenant);
    const end = await fault.begin(site, tenant, forMs);
    await wait(forMs);
    end?.();
    close();
  }
}

async function sample(run: Run, isWithCollection: boolean): Promise<void> {
  const { bot, life, windows } = run;
  const held = await look(bot.pid);
  const at = { atMs: elapsed(run), life, faults: windows.now(), ...held };
  if (!isWithCollection) return void run.samples.push(at);
  run.collections += 1;
  run.samples.push({ ...at, atRest: await collect(bot, run.collections) });
}

function progress({ plan, orders, people, samples, windows }: Run): void {
  const last = samples.at(-1);
  const heap = samples.findLast(({ atRest }) => atRest !== undefined)?.atRest?.heap;
  const minutes = (last?.atMs ?? 0) / 60_000;
  plan.print?.(
    [
      `${minutes.toFixed(1)} min`,
      `orders ${orders.placed}, rung ${orders.rung}, doubled ${orders.doubled}, still to be edited ${orders.unshown}`,
      `commands ${people.sent}, unanswered ${people.unanswered}`,
      `RSS ${last?.rss.toFixed(1)} MB, heap ${heap?.toFixed(1)} MB, descriptors ${last?.descriptors}`,
      windows.now().join(", ") || "no fault",
    ].join(" · "),
  );
}

async function watchProcess(run: Run): Promise<void> {
  const everyMs = Math.min(Math.max(run.plan.runMs / 60, shortestSampleMs), longestSampleMs);
  let count = 0;
  for await (const _ of ticks(everyMs)) {
    if (isOver(run)) return;
    count += 1;
    // A process that is gone, or goes meanwhile, is no sample.
    const { life } = run;
    if (run.isUp) {
      await sample(run, count % collectEvery === 0).catch((error: unknown) => {
        if (!run.isUp || run.life !== life) return;
        const last = run.bot.output().slice(-shownOfLog);
        throw new Error(`the bot ended by itself, or does not answer to signals; it printed last:\n${last}`, {
          cause: error,
        });
      });
    }
  }
}

/** Until every order rang and was edited, or for so long that this cannot come any more. */
async function drain(run: Run): Promise<void> {
  const deadline = performance.now() + drainMs;
  for await (const _ of ticks(250)) {
    run.orders.tick();
    if (run.orders.missing + run.orders.unshown === 0 || performance.now() > deadline) break;
  }
  await run.people.idle();
  run.orders.end();
}

/**
 * The bot's own process in so many servers with alerts on, with orders, edits, people and faults all the time, watched from
 * outside. What it keeps does not grow with the time, but for the samples and the bot's log.
 */
export async function runSoak(plan: SoakPlan): Promise<SoakResult> {
  await using world = await createWorld();
  const key = randomBytes(32);
  const tenants = await settleTenants(world, plan.servers, key);
  const environment = {
    ...collectable,
    LOG_LEVEL: "info",
    POLL_SCHEDULE: `*/${plan.pollSeconds} * * * * *`,
    SECRET_KEYS: key.toString("base64"),
  };
  const windows = new FaultWindows(plan.pollSeconds * 1_000);
  const run: Run = {
    plan,
    world,
    tenants,
    windows,
    orders: new OrderWatch(world.discord, windows, lookAgainMs),
    people: new People(world, windows, () => run.life),
    samples: [],
    bot: await world.start(environment),
    beganAt: performance.now(),
    life: 1,
    isUp: true,
    hasFailed: false,
    collections: 0,
  };
  const restart = async () => {
    run.isUp = false;
    run.life += 1;
    await run.bot.kill();
    run.bot = await world.start(environment);
    run.collections = 0;
    run.isUp = true;
  };
  const parts = [liveOn(run), failNowAndThen(run, { world, restart }), watchProcess(run)];
  await Promise.all(parts).catch(async (error: unknown) => {
    run.hasFailed = true;
    await Promise.allSettled(parts);
    throw error;
  });
  await drain(run);
  const { orders, people } = run;
  const { code } = await run.bot.stop();
  const { missing: lost, unshown } = orders;
  const { placed, rung, doubled, settled, reverted, longest } = orders;
  const { sent, answered, unanswered, cut, sorryOutsideFaults, told } = people;
  return {
    plan,
    orders: { placed, rung, doubled, settled, reverted, longest, lost, editsMissing: unshown + reverted },
    commands: { sent, answered, unanswered, cut, sorryOutsideFaults, told },
    faults: windows.counts,
    samples: run.samples,
    refusals: world.discord.refusals.length,
    exitCode: code,
    disk: (await world.kept()).length / 1e6,
  };
}
