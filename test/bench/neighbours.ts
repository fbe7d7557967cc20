import { setTimeout as wait } from "node:timers/promises";
import { textOf } from "../sandbox/discord/discord.ts";
import { crowdedPage, type Shop } from "../sandbox/store/start-store.ts";
import { holdStore } from "../support/hold-store.ts";
import { connectStore, createWorld, run, setAlerts, type World, withManagers } from "../support/world.ts";
import { atMost, line, type Report, rounded } from "./figure.ts";

const intervalMs = 1_000;
/** As many as one person may run at once without being slowed down; with all of them 400. */
const commandsOfEach = 10;
const noisyPeople = 40;
/** So few at once that the gateway is not what the answers wait for. */
const atOnce = 100;

const quietCommands = 20;
/** So that they meet more than one poll of the neighbours. */
const pauseMs = 150;
const quietOrders = 3;
const crowdedCommands = 5;

/** A server with alerts on, and its shop. */
interface Tenant {
  readonly there: World;
  readonly shop: Shop;
}

/** What the quiet one of three servers went through beside the other two. */
interface Neighbourhood {
  /** How long each order took to ring, in ms. */
  readonly rang: readonly number[];
  /** How long each command took to its first answer, in ms. */
  readonly answered: readonly number[];
  /** Requests of the noisy server that were held open all the time. */
  readonly held: number;
  /** Answers of 4 MiB that the crowded server was given meanwhile. */
  readonly crowded: number;
}

async function settle(world: World, shop: Shop, managers: number): Promise<Tenant> {
  const there = withManagers(world, managers);
  shop.placeOrders(3);
  await connectStore(there, shop.token);
  await setAlerts(there);
  return { there, shop };
}

const requestsOf = ({ there, shop }: Tenant) => there.store.requests.filter(({ token }) => token === shop.token);
const openOf = (tenant: Tenant) => requestsOf(tenant).filter(({ isOpen }) => isOpen).length;
const listsGivenTo = (tenant: Tenant) =>
  requestsOf(tenant).filter(({ status, isOpen, page }) => status === 200 && !isOpen && page !== undefined).length;

/** From now on nothing that this shop is asked is answered; resolves when all of the people's commands are under way. */
async function holdEverything(noisy: Tenant): Promise<() => void> {
  const { there, shop } = noisy;
  const release = holdStore(there.store, { token: shop.token });
  const total = noisyPeople * commandsOfEach;
  for (let sent = 0; sent < total; sent += atOnce) {
    const people = Array.from({ length: atOnce }, (_, index) => `manager${(sent + index) % noisyPeople}`);
    await Promise.all(people.map((by) => run(there, "orders", {}, by).answer()));
  }
  await there.store.waitFor(() => openOf(noisy) > 0, "a request that is held open");
  return release;
}

/** From now on every reading of this shop's orders is 4 MiB, and other ones than the time before. */
function crowd(tenant: Tenant): void {
  for (const [turn, body] of [crowdedPage("even"), crowdedPage("odd")].entries()) {
    const when = () => requestsOf(tenant).length % 2 === turn;
    tenant.there.store.fail({ path: /order$/, token: tenant.shop.token, when, body });
  }
}

/** How long each of some orders, one after the other, takes to ring, in ms. */
async function ringing({ there, shop }: Tenant): Promise<number[]> {
  const channel = there.guild.channel("new-orders");
  const took: number[] = [];
  while (took.length < quietOrders) {
    const from = performance.now();
    const { id } = shop.placeOrder();
    const isThere = () => there.discord.messages(channel).some((message) => textOf(message).includes(id.slice(0, 8)));
    await there.discord.waitFor(() => isThere() || undefined, `order ${id} rang`);
    took.push(performance.now() - from);
  }
  return took;
}

/** How long each of some people's commands, one after the other, takes to its first answer, in ms. */
async function asking({ there }: Tenant): Promise<number[]> {
  const took: number[] = [];
  while (took.length < quietCommands) {
    const { afterMs } = await run(there, "orders", {}, `manager${took.length}`).answer();
    took.push(afterMs);
    await wait(pauseMs);
  }
  return took;
}

/** People of the shop with the long list look at it. */
async function looking({ there }: Tenant): Promise<void> {
  for (let count = 0; count < crowdedCommands; count += 1) {
    await run(there, "orders", {}, `manager${count}`).answer();
    await wait(pauseMs);
  }
}

/**
 * Three servers: of one, 400 commands wait for a store that answers nothing; another one's store answers 4 MiB with
 * 49,000 orders, other ones each time; the third one's people get alerts and run commands, which are timed. Polls every
 * second.
 */
async function measureNeighbours(world: World): Promise<Neighbourhood> {
  const noisy = await settle(world, world.store, noisyPeople);
  const crowded = await settle(world, world.store.addShop(), crowdedCommands);
  const quiet = await settle(world, world.store.addShop(), quietCommands);
  crowd(crowded);
  const release = await holdEverything(noisy);
  try {
    const before = listsGivenTo(crowded);
    const [rang, answered] = await Promise.all([ringing(quiet), asking(quiet), looking(crowded)]);
    return { rang, answered, held: openOf(noisy), crowded: listsGivenTo(crowded) - before };
  } finally {
    release();
  }
}

/** What a server notices of two others that spoil what all of them share. */
export async function reportNeighbours(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "warn" });
  const { rang, answered, held, crowded } = await measureNeighbours(world);
  return {
    title: "A server beside two that misbehave",
    how: `400 commands of one server wait for a store that answers nothing (${held} requests of its token held open: a token has no more); another one's store answers 4 MiB with 49,000 orders at every poll (${rounded(crowded)} times meanwhile). The third one's alerts and commands are timed. Polls every ${rounded(intervalMs / 1_000)} s.`,
    figures: [
      line("Slowest of 3 alerts, from the order", Math.max(...rang), "ms", {
        baseline: `interval ${rounded(intervalMs)} ms`,
        target: atMost(2 * intervalMs),
      }),
      line("Slowest of 20 first answers to commands", Math.max(...answered), "ms", { target: atMost(100) }),
    ],
  };
}
