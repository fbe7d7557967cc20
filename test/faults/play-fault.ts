import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../sandbox/discord/discord.ts";
import { freePort } from "../support/process/free-port.ts";
import { allShown, timesShown } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/process/world.ts";
import type { Fault, ReadyFault } from "./fault.ts";
import { logSeen } from "./log-seen.ts";
import { type MetricsSeen, watchMetrics } from "./metrics-seen.ts";
import { type Asked, askAll, watchNotices } from "./owner.ts";

/** As people and operators saw it. */
export interface Played {
  readonly fault: Fault;
  /** Notices, and direct messages to the owner. */
  readonly channel: readonly string[];
  readonly direct: readonly string[];
  /** After a third of the fault. */
  readonly asked: readonly Asked[];
  readonly log: readonly string[];
  readonly metrics: MetricsSeen;
  /** Before, during and after the fault. */
  readonly placed: number;
  readonly lost: number;
  readonly doubled: number;
  /** Whether the alert of the order that was paid meanwhile says so. */
  readonly isEdited: boolean;
  /** From the end of the fault until all orders placed before were in the channel. Infinity if some never were. */
  readonly recoveredAfterMs: number;
  /** Exit code of the process, on SIGTERM or before. Null if it had to be killed. */
  readonly endCode: number | null;
}

const ringMs = 20_000;
/** The bot's longest wait, and a minute more. */
const recoveryMs = 6 * 60_000;
/** A second message about an order would come within two polls. A third poll may have begun before. */
const pollsToSeeDoubles = 3;

const saysPaid = ({ discord, guild }: World, id: string) =>
  discord
    .messages(guild.channel("new-orders"))
    .map(textOf)
    .some((text) => text.includes(id.slice(0, 8)) && text.includes("Paid"));

async function suffer(world: World, fault: Fault): Promise<{ ids: string[]; asked: Promise<Asked[]> }> {
  const ids: string[] = [];
  const arrive = () => void ids.push(world.store.placeOrder().id);
  arrive();
  await delay(fault.lastsMs / 3);
  const asked = askAll(world);
  await delay(fault.lastsMs / 3);
  arrive();
  await delay(fault.lastsMs / 3);
  arrive();
  return { ids, asked };
}

/** Waits until every order and the edit are in the channel, or until they cannot come any more. Places one more order. */
async function recover(world: World, paid: string, ids: readonly string[]) {
  const endedAt = performance.now();
  const isAll = await allShown(world, ids, recoveryMs).catch(() => false);
  const recoveredAfterMs = isAll ? performance.now() - endedAt : Number.POSITIVE_INFINITY;
  const last = world.store.placeOrder();
  await allShown(world, [last.id], ringMs).catch(() => undefined);
  const isEdited = await world.discord
    .waitFor(() => saysPaid(world, paid) || undefined, "the edit", recoveryMs)
    .catch(() => false);
  const seen = world.store.requests.length;
  const polls = () => world.store.requests.length >= seen + pollsToSeeDoubles;
  await world.store.waitFor(polls, "two more polls", ringMs).catch(() => undefined);
  return { last: last.id, recoveredAfterMs, isEdited };
}

async function live(world: World, fault: Fault, ready: ReadyFault): Promise<Played> {
  const port = await freePort();
  const environment = { ...ready.environment, HTTP_PORT: String(port), LOG_LEVEL: "info" };
  const bot = await world.start(environment);
  try {
    await connectStore(world);
    await setAlerts(world);
    const first = world.store.placeOrder().id;
    await allShown(world, [first], ringMs);

    const printed = bot.output().length;
    const notices = watchNotices(world);
    const watched = await watchMetrics(port);
    await ready.begin?.(bot);
    world.store.setStatus(first, "PAID");
    const { ids, asked } = await suffer(world, fault);
    await ready.end?.(bot);
    const { last, ...recovery } = await recover(world, first, ids);

    const all = [first, ...ids, last];
    const times = timesShown(world, all);
    return {
      fault,
      ...notices(all),
      ...recovery,
      asked: await asked,
      metrics: await watched.stop(),
      placed: all.length,
      lost: times.filter((count) => count === 0).length,
      doubled: times.filter((count) => count > 1).length,
      // Without the lines that the bot logs when it ends.
      log: logSeen(bot.output().slice(printed)),
      endCode: (await bot.stop()).code,
    };
  } finally {
    await bot.kill();
  }
}

/** On a bot of its own, which polls every second. Rejects only if the fault cannot be caused. */
export async function playFault(fault: Fault): Promise<Played> {
  await using world = await createWorld();
  const ready = await fault.prepare(world);
  return await live(world, fault, ready).finally(() => ready.clean?.());
}
