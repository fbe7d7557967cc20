import { setTimeout as wait } from "node:timers/promises";
import type { Interaction } from "../sandbox/discord/discord.ts";
import { crowdedPage, type Shop } from "../sandbox/store/start-store.ts";
import { atMost, line, quantile, type Report } from "../support/figure.ts";
import { holdStore } from "../support/process/hold-store.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import type { Tenant } from "../support/process/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World, withManagers } from "../support/process/world.ts";

const intervalMs = 1_000;
/** A person is slowed down after this many commands at once. */
const commandsOfEach = 10;
const hangingPeople = 40;
const crowdedPeople = 5;
/** Commands sent at a time: so few that the answers do not wait for the gateway. */
const atOnce = 100;

async function settle(world: World, managers: number, shop: Shop = world.store.addShop()): Promise<Tenant> {
  const there = withManagers(world, managers);
  shop.placeOrders(3);
  await connectStore(there, shop.token);
  await setAlerts(there);
  return { ...there, shop };
}

/** Milliseconds from each order to its alert, and from each command to its first answer, one after the other. */
async function measure(quiet: Tenant, counts: { orders: number; commands: number; people: number; pauseMs: number }) {
  const alerting = async () => {
    const took: number[] = [];
    while (took.length < counts.orders) {
      const from = performance.now();
      await alertOf(quiet, quiet.shop.placeOrder().id);
      took.push(performance.now() - from);
    }
    return took;
  };
  const answering = async () => {
    const took: number[] = [];
    while (took.length < counts.commands) {
      const { afterMs } = await run(quiet, "orders", {}, `manager${took.length % counts.people}`).answer();
      took.push(afterMs);
      await wait(counts.pauseMs);
    }
    return took;
  };
  const [alerts, answers] = await Promise.all([alerting(), answering()]);
  return { alerts, answers };
}

const openRequestsOf = ({ store, shop }: Tenant) =>
  store.requests.filter(({ token, isOpen }) => token === shop.token && isOpen).length;

/** The store hangs for this server. Resolves when all commands of its people are under way. */
async function hang(noisy: Tenant): Promise<() => void> {
  const release = holdStore(noisy.store, { token: noisy.shop.token });
  for (let sent = 0; sent < hangingPeople * commandsOfEach; sent += atOnce) {
    const people = Array.from({ length: atOnce }, (_, index) => `manager${(sent + index) % hangingPeople}`);
    await Promise.all(people.map((by) => run(noisy, "orders", {}, by).answer()));
  }
  await noisy.store.waitFor(() => openRequestsOf(noisy) > 0, "a request that is held open");
  return release;
}

/** Every list of this shop's orders is 4 MiB, and different from the one before. A few people look at it. */
async function crowd({ store, shop, ...there }: Tenant): Promise<void> {
  const requests = () => store.requests.filter(({ token }) => token === shop.token).length;
  for (const [turn, body] of [crowdedPage("even"), crowdedPage("odd")].entries()) {
    store.fail({ path: /order$/, token: shop.token, when: () => requests() % 2 === turn, body });
  }
  for (let index = 0; index < crowdedPeople; index++) {
    await run({ ...there, store }, "orders", {}, `manager${index}`).answer();
  }
}

/** A server while another server's store hangs, and a third one's sends huge lists. */
export async function reportNeighbours(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "warn" });
  const hanging = await settle(world, hangingPeople, world.store);
  const crowded = await settle(world, crowdedPeople);
  const quiet = await settle(world, 20);
  const release = await hang(hanging);
  const measuring = measure(quiet, { orders: 3, commands: 20, people: 20, pauseMs: 150 });
  const [{ alerts, answers }] = await Promise.all([measuring, crowd(crowded)]).finally(release);
  return {
    title: "A server beside two that misbehave",
    how: `${hangingPeople * commandsOfEach} commands of one server wait for a store that does not answer; another one's store answers 4 MiB with 49,000 orders at every poll. The third one's alerts and commands are timed. Polls every ${intervalMs / 1_000} s.`,
    figures: [
      line("Slowest of 3 alerts, from the order", Math.max(...alerts), "ms", {
        baseline: `interval ${intervalMs} ms`,
        target: atMost(2 * intervalMs),
      }),
      line("Slowest of 20 first answers to commands", Math.max(...answers), "ms", { target: atMost(100) }),
    ],
  };
}

/** Of two members who may do nothing, one presses an alert's button 400 times at once. The other types 200 commands. */
function flood(noisy: Tenant): Interaction[] {
  const { discord, guild } = noisy;
  const alert = discord.messages(guild.channel("new-orders")).at(-1);
  if (alert === undefined) throw new Error("there is no alert to press a button of");
  return [
    ...Array.from({ length: 400 }, () => discord.press(guild.person("member"), alert, "Open")),
    ...Array.from({ length: 200 }, () => run(noisy, "orders", {}, "stranger", { force: true })),
  ];
}

/** A server while members of another one do what they may not do, as fast as they can. */
export async function reportFlood(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "info" });
  const people = [{ name: "owner" }, { name: "member" }, { name: "stranger" }];
  const noisy: Tenant = { ...world, guild: world.discord.addGuild({ people }), shop: world.store };
  await connectStore(noisy);
  await setAlerts(noisy);
  await alertOf(noisy, world.store.placeOrder().id);
  const quiet = await settle(world, 20);

  const before = world.discord.requests.length;
  const refused = flood(noisy);
  const { alerts, answers } = await measure(quiet, { orders: 1, commands: 200, people: 20, pauseMs: 0 });
  await Promise.all(refused.map((interaction) => interaction.answer().catch(() => undefined)));
  const paths = world.discord.requests.slice(before).map(({ path }) => path);
  const costs = refused.map(({ token }) => paths.filter((path) => path.includes(token)).length);
  return {
    title: "A server beside one whose members flood",
    how: `A member of one server presses an alert's button 400 times at once, another one types \`/orders\` 200 times; neither may. An order of another server is alerted, and its people type 200 commands, one after the other. Polls every ${intervalMs / 1_000} s.`,
    figures: [
      line("Alert of the other server, from the order", Math.max(...alerts), "ms", { target: atMost(2 * intervalMs) }),
      line("Its first answers to commands, median", quantile(answers, 0.5), "ms"),
      line("… 99 of 100", quantile(answers, 0.99), "ms", { target: atMost(300) }),
      line("Most requests to Discord for one that was refused", Math.max(...costs), "requests", { target: atMost(1) }),
    ],
  };
}
