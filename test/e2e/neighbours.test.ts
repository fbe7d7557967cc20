import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { crowdedPage, type Shop } from "../sandbox/store/start-store.ts";
import { expectDiscordAgreed, withManagers } from "./checks.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "./harness.ts";

/** The interval of the polls, as the harness starts the bot, and what may be added to it. */
const alertMs = 1_000 + 1_000;
/** For the slowest of 20 first answers, which is their 99th percentile. */
const firstAnswerMs = 100;

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

let world: World;
let noisy: Tenant;
let crowded: Tenant;
let quiet: Tenant;

beforeAll(async () => {
  world = await createWorld();
  await world.start();
  const settle = async (shop: Shop, managers: number): Promise<Tenant> => {
    const there = withManagers(world, managers);
    shop.placeOrders(3);
    await connectStore(there, shop.token);
    await setAlerts(there);
    return { there, shop };
  };
  noisy = await settle(world.store, noisyPeople);
  crowded = await settle(world.store.addShop(), crowdedCommands);
  quiet = await settle(world.store.addShop(), quietCommands);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const requestsOf = ({ shop }: Tenant) => world.store.requests.filter(({ token }) => token === shop.token);
const openOf = (tenant: Tenant) => requestsOf(tenant).filter(({ isOpen }) => isOpen).length;
const listsGivenTo = (tenant: Tenant) =>
  requestsOf(tenant).filter(({ status, isOpen, page }) => status === 200 && !isOpen && page !== undefined).length;

/** From now on nothing that this shop is asked is answered; resolves when all of the people's commands are under way. */
async function holdEverything({ there, shop }: Tenant): Promise<() => void> {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  world.store.fail({ token: shop.token, hold });
  const total = noisyPeople * commandsOfEach;
  for (let sent = 0; sent < total; sent += atOnce) {
    const people = Array.from({ length: atOnce }, (_, index) => `manager${(sent + index) % noisyPeople}`);
    await Promise.all(people.map((by) => run(there, "orders", {}, by).answer()));
  }
  await world.store.waitFor(() => openOf(noisy) > 0, "a request that is held open");
  return release;
}

/** From now on every reading of this shop's orders is 8 MiB, and other ones than the time before. */
function crowd(tenant: Tenant): void {
  for (const [turn, body] of [crowdedPage("even"), crowdedPage("odd")].entries()) {
    const when = () => requestsOf(tenant).length % 2 === turn;
    world.store.fail({ path: /order$/, token: tenant.shop.token, when, body });
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

test("one server's held requests and another one's 8 MiB of orders hold up neither alerts nor commands of a third", async () => {
  crowd(crowded);
  const release = await holdEverything(noisy);
  try {
    const before = listsGivenTo(crowded);
    const [rang, answered] = await Promise.all([ringing(quiet), asking(quiet), looking(crowded)]);
    // Both neighbours were what they are here to be, all the time.
    expect(openOf(noisy), "requests held open at the end").toBeGreaterThan(0);
    expect(listsGivenTo(crowded) - before, "answers of 8 MiB meanwhile").toBeGreaterThan(1);

    const shown = (took: readonly number[]) => `ms: ${took.map(Math.round).join(", ")}`;
    expect(Math.max(...rang), `alerts, ${shown(rang)}`).toBeLessThan(alertMs);
    expect(Math.max(...answered), `first answers, ${shown(answered)}`).toBeLessThanOrEqual(firstAnswerMs);
  } finally {
    release();
  }
  expectDiscordAgreed(world);
}, 90_000);
