import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { Ledger } from "../../src/orders/ledger.ts";
import { createActiveGuilds } from "../../src/polling/active-guilds.ts";
import { dealtWith, recordOrders } from "../support/order-rows.ts";
import { createWorld, type World } from "../support/world.ts";
import { cpuOf, memoryOf, storageOf } from "./bot-process.ts";
import { atMost, type Report, rounded } from "./figure.ts";

const intervalMs = 15_000;
const pending = 300;
const key = Buffer.alloc(32, 7);

/** Servers with alerts on, as earlier days left them: each with a token of its own, its orders in the ledger. */
async function setUp(world: World, servers: number): Promise<void> {
  await mkdir(join(world.directory, "data"), { recursive: true });
  const orders = world.store.placeOrders(pending);
  const storage = await storageOf(world);
  const vault = createVault([key]);
  const guilds = createGuilds({ storage, vault });
  const roster = createActiveGuilds(storage);
  for (let count = 0; count < servers; count++) {
    const guild = count === 0 ? world.guild : world.discord.addGuild();
    const token = `token-of-${guild.id}`;
    world.store.allowToken(token);
    await guilds.connect(guild.id, token);
    const alerts = { channelId: guild.channel("new-orders"), statuses: ["PENDING"], since: Date.now() };
    await roster.add([guild.id]);
    await guilds.update(guild.id, (known) => ({ ...known, alerts }));
    await recordOrders(new Ledger(storage, guild.id), new Map(orders.map(({ id }) => [id, dealtWith])));
  }
  await storage.close();
}

interface Load {
  readonly pollsPerSecond: number;
  readonly cpu: number;
  readonly megabytes: number;
  /** Polls in each whole second. */
  readonly perSecond: number[];
  readonly fewestOfAServer: number;
  readonly requestsPerPoll: number;
}

async function measure(servers: number, windowMs: number): Promise<Load> {
  await using world = await createWorld();
  await setUp(world, servers);
  const { pid } = await world.start({
    LOG_LEVEL: "warn",
    POLL_SCHEDULE: `*/${intervalMs / 1_000} * * * * *`,
    SECRET_KEYS: key.toString("base64"),
  });
  // A whole interval goes by first: the first round of polls is spread over what is left of the one under way.
  await wait(2 * intervalMs - (Date.now() % intervalMs));
  const requestsBefore = world.store.requests.length;
  const from = Date.now();
  const cpuBefore = await cpuOf(pid);
  await wait(windowMs);
  const cpu = (await cpuOf(pid)) - cpuBefore;
  const { now: megabytes } = await memoryOf(pid);
  const requests = world.store.requests.slice(requestsBefore).filter(({ at }) => at < from + windowMs);
  const polls = requests.filter(({ query }) => query.page === "1");
  const perSecond = Array.from({ length: windowMs / 1_000 }, () => 0);
  for (const { at } of polls) {
    const second = Math.floor((at - from) / 1_000);
    perSecond[second] = (perSecond[second] ?? 0) + 1;
  }
  const ofServer = Map.groupBy(polls, ({ authorization }) => authorization);
  const counts = [...ofServer.values()].map(({ length }) => length);
  return {
    pollsPerSecond: polls.length / (windowMs / 1_000),
    cpu: (cpu / windowMs) * 100,
    megabytes,
    perSecond,
    fewestOfAServer: ofServer.size < servers ? 0 : Math.min(...counts),
    requestsPerPoll: requests.length / polls.length,
  };
}

/** The bot's process with alerts on in so many servers, over `windowMs` (whole intervals of 15 s). */
export async function reportManyServers(servers: number, windowMs: number): Promise<Report> {
  const one = await measure(1, intervalMs);
  const many = await measure(servers, windowMs);
  const wanted = servers / (intervalMs / 1_000);
  const rounds = windowMs / intervalMs;
  const busiest = Math.max(...many.perSecond);
  return {
    title: `${rounded(servers)} servers with alerts on`,
    how: `One process, polls every ${intervalMs / 1_000} s over ${windowMs / 1_000} s, ${rounded(pending)} pending orders in each store, nothing new. The share is of one core.`,
    figures: [
      {
        what: "Polls",
        figure: many.pollsPerSecond,
        unit: "polls/s",
        baseline: `${rounded(wanted)} polls/s asked for`,
        target: { text: `at least 98 % of ${rounded(wanted)}`, met: many.pollsPerSecond >= wanted * 0.98 },
      },
      {
        what: "Polls of the server with the fewest",
        figure: many.fewestOfAServer,
        unit: "polls",
        baseline: `${rounds} rounds`,
        // A poll at the very edge of the window may fall outside it.
        target: { text: `at least ${rounds - 1}`, met: many.fewestOfAServer >= rounds - 1 },
      },
      {
        what: "API requests per poll",
        figure: many.requestsPerPoll,
        unit: "requests",
        target: atMost(many.requestsPerPoll, 3),
      },
      { what: "Polls in the quietest second", figure: Math.min(...many.perSecond), unit: "polls" },
      {
        what: "Polls in the busiest second",
        figure: busiest,
        unit: "polls",
        baseline: `${servers} if all began at once`,
        target: atMost(busiest, Math.ceil(wanted * 1.5)),
      },
      {
        what: "Processor time",
        figure: many.cpu,
        unit: "% of a core",
        baseline: `${rounded(one.cpu)} % with 1 server`,
      },
      {
        what: "… per poll",
        figure: ((many.cpu - one.cpu) / 100 / (many.pollsPerSecond - one.pollsPerSecond)) * 1_000,
        unit: "ms",
      },
      {
        what: "Memory (RSS)",
        figure: many.megabytes,
        unit: "MB",
        baseline: `${rounded(one.megabytes)} MB with 1 server`,
      },
    ],
  };
}
