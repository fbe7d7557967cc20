import { randomBytes } from "node:crypto";
import { setInterval as ticks, setTimeout as wait } from "node:timers/promises";
import { Stream } from "../simulation/randomness.ts";
import { collect, collectable, cpuOf, descriptorsOf, memoryOf } from "../support/process-usage.ts";
import { type Bot, createWorld, type World } from "../support/world.ts";
import { planFaults } from "./faults.ts";
import { OrderWatch } from "./order-watch.ts";
import { looks, People } from "./people.ts";
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

/** What a process holds at a moment. Memory in MB (10^6 bytes). */
export interface Sample {
  /** Since the run began, in ms. */
  readonly atMs: number;
  /** Which start of the bot. */
  readonly life: number;
  /** What failed, if anything. */
  readonly fault: string;
  readonly rss: number;
  readonly descriptors: number;
  /** Processor time of this start so far, user and system, in ms. */
  readonly processorMs: number;
  /** After all garbage was collected, where it was. */
  readonly atRest?: { readonly rss: number; readonly heap: number };
}

/** What came of it. */
export interface SoakResult {
  readonly plan: SoakPlan;
  readonly orders: Pick<OrderWatch, "placed" | "rung" | "doubled" | "settled" | "longestMs"> & {
    readonly lost: number;
    readonly editsMissing: number;
  };
  readonly commands: Pick<People, "sent" | "answered" | "unanswered" | "cut" | "sorry" | "told">;
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
  readonly faults: Map<string, number>;
  readonly orders: OrderWatch;
  readonly people: People;
  readonly samples: Sample[];
  readonly beganAt: number;
  bot: Bot;
  /** Which start of the bot; between a kill and the next start it is none. */
  life: number;
  isUp: boolean;
  fault: string;
  /** One of its parts failed: the others need not go on. */
  hasFailed: boolean;
  collections: number;
}

const elapsed = ({ beganAt }: Run) => performance.now() - beganAt;
const isOver = (run: Run) => run.hasFailed || elapsed(run) >= run.plan.runMs;

/** Orders come and change, and people look at them, each second until the end. */
async function liveOn(run: Run): Promise<void> {
  const { plan, tenants, orders, people } = run;
  const stream = new Stream(plan.seed, "life");
  let seconds = 0;
  for await (const _ of ticks(1_000)) {
    if (isOver(run)) return;
    seconds += 1;
    if (seconds % progressSeconds === 0) progress(run);
    orders.tick();
    // One in sixty seconds brings more orders of one server than alerts give a message each.
    const burst = stream.chance(1 / 60) ? stream.pick(tenants) : undefined;
    for (let left = burst === undefined ? stream.between(0, 5) : 9; left > 0; left -= 1) {
      const changesAfterMs = stream.between(0, 2 * plan.pollSeconds * 1_000);
      orders.place(burst ?? stream.pick(tenants), { changesAfterMs, lastStatus: stream.pick(statuses) });
    }
    const [tenant, by, look] = [stream.pick(tenants), stream.pick(["owner", "staff"]), stream.pick(looks)];
    // Discord tells a person at once that a bot is not there.
    if (run.isUp) people.begin(tenant, by, look);
    run.world.discord.forget(Date.now() - rememberedMs);
    run.world.store.forget(Date.now() - rememberedMs);
  }
}

async function failNowAndThen(run: Run, restart: () => Promise<void>): Promise<void> {
  const { plan, tenants, faults, world } = run;
  for (const { fault, tenant, quietMs, forMs } of planFaults(plan.seed, tenants, plan.runMs)) {
    if (isOver(run) || elapsed(run) + quietMs + forMs >= plan.runMs) return;
    await wait(quietMs);
    run.fault = fault.what;
    faults.set(fault.what, (faults.get(fault.what) ?? 0) + 1);
    const end = await fault.begin({ world, restart }, tenant, forMs);
    await wait(forMs);
    end?.();
    run.fault = "";
  }
}

async function sample(run: Run, isWithCollection: boolean): Promise<void> {
  const { bot, life, fault } = run;
  const [{ now: rss }, descriptors, processorMs] = await Promise.all([
    memoryOf(bot.pid),
    descriptorsOf(bot.pid),
    cpuOf(bot.pid),
  ]);
  const at = { atMs: elapsed(run), life, fault, rss, descriptors, processorMs };
  if (!isWithCollection) return void run.samples.push(at);
  run.collections += 1;
  run.samples.push({ ...at, atRest: await collect(bot, run.collections) });
}

function progress({ plan, orders, people, samples, fault }: Run): void {
  const last = samples.at(-1);
  const heap = samples.findLast(({ atRest }) => atRest !== undefined)?.atRest?.heap;
  const minutes = (last?.atMs ?? 0) / 60_000;
  plan.print?.(
    [
      `${minutes.toFixed(1)} min`,
      `orders ${orders.placed}, rung ${orders.rung}, doubled ${orders.doubled}, still to be edited ${orders.unshown}`,
      `commands ${people.sent}, unanswered ${people.unanswered}`,
      `RSS ${last?.rss.toFixed(1)} MB, heap ${heap?.toFixed(1)} MB, descriptors ${last?.descriptors}`,
      fault || "no fault",
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
  const run: Run = {
    plan,
    world,
    tenants,
    faults: new Map(),
    orders: new OrderWatch(world.discord, lookAgainMs),
    people: new People(world, () => run.life),
    samples: [],
    bot: await world.start(environment),
    beganAt: performance.now(),
    life: 1,
    isUp: true,
    fault: "",
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
  const parts = [liveOn(run), failNowAndThen(run, restart), watchProcess(run)];
  await Promise.all(parts).catch(async (error: unknown) => {
    run.hasFailed = true;
    await Promise.allSettled(parts);
    throw error;
  });
  await drain(run);
  const { orders, people } = run;
  const { code } = await run.bot.stop();
  const { missing: lost, unshown } = orders;
  const { placed, rung, doubled, settled, reverted, longestMs } = orders;
  const { sent, answered, unanswered, cut, sorry, told } = people;
  return {
    plan,
    orders: { placed, rung, doubled, settled, longestMs, lost, editsMissing: unshown + reverted },
    commands: { sent, answered, unanswered, cut, sorry, told },
    faults: run.faults,
    samples: run.samples,
    refusals: world.discord.refusals.length,
    exitCode: code,
    disk: (await world.kept()).length / 1e6,
  };
}
