import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiMessage, buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import { type BotClock, createBotClock } from "../support/bot-clock.ts";
import { sharedKeys, startCrew } from "../support/bot-forms.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { allShown } from "../support/shown-orders.ts";
import { whenLong } from "../support/sized.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** By then Discord has forgotten a nonce, and drops no repeat any more. */
const nonceMs = 6 * minuteMs;
/** The lock of a killed worker lasts 20 s, and is looked at every 5 s; and another one has to start. */
const takeoverMs = 60_000;

describe.skipIf(!redisInstalled)("a gateway and a worker (apt-get install redis-server)", () => {
  let redis: DatabaseServer;
  let world: World;
  let clock: BotClock;
  let environment: Readonly<Record<string, string>>;
  let worker: Bot;
  let discordAheadMs = 0;

  beforeAll(async () => {
    redis = await createRedisServer();
    await redis.start();
    world = await createWorld({ discordNow: () => Date.now() + discordAheadMs });
    clock = createBotClock(world.directory);
    environment = { ...sharedKeys, QUEUE_URL: redis.url, STORAGE_URL: `${redis.url}/1` };
    const { workers } = await startCrew(world, { ...environment, ...clock.environment }, 1);
    const [only] = workers;
    if (!only) throw new Error("no worker");
    worker = only;
    await connectStore(world);
    await setAlerts(world, { role: world.guild.role("Staff") });
  }, 60_000);
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await redis.remove();
  });

  const messages = () => world.discord.messages(world.guild.channel("new-orders"));
  const standing = (id: string, is: (message: ApiMessage) => boolean) =>
    world.discord.waitFor(
      () => messages().find((message) => JSON.stringify(message.components).includes(id) && is(message)),
      `the alert of ${id}`,
    );
  const isAlert = (message: ApiMessage) => message.message_reference === undefined;

  it("show who took an order whatever its status becomes, and remind once of the one that nobody took", async () => {
    const { discord, guild, store } = world;
    await run(world, "alerts remind", { after: "30m" }).settled();
    const [taken, left] = store.placeOrders(2).map(({ id }) => id);
    if (!taken || !left) throw new Error("no orders");
    const alert = await standing(taken, isAlert);
    await standing(left, isAlert);
    await discord.press(guild.person("owner"), alert, "Take").settled();
    const mention = `<@${guild.person("owner")}>`;
    store.setStatus(taken, "PAID");
    const paid = await standing(taken, (message) => isAlert(message) && textOf(message).includes("Paid"));
    expect(textOf(paid)).toContain(`🙋 Taken by ${mention}`);
    expect(buttonsOf(paid).map(({ label }) => label)).toEqual(["Open", "Done", "Give back"]);

    await clock.set(worker, 31 * minuteMs);
    const isReminder = (message: ApiMessage) => textOf(message).includes("⏰");
    const reminder = await standing(left, isReminder);
    expect(reminder.mention_roles).toHaveLength(1);
    // Whoever would remind again does so by the time that later orders ring.
    for (const _ of [1, 2]) await allShown(world, [store.placeOrder().id], 15_000);
    expect(messages().filter(isReminder)).toHaveLength(1);
  }, 30_000);

  // `digest.test.ts` kills one process amid digests.
  whenLong(() => {
    it("post a digest once whose worker is killed before it knows that Discord took it", async () => {
      const { discord, guild } = world;
      const at = (Math.ceil(Date.now() / hourMs) + 24) * hourMs;
      const channel = guild.channel("staff");
      const hour = new Date(at).getUTCHours();
      await run(world, "digest set", { channel, every: "day", hour, timezone: "UTC" }).settled();
      const digests = () => discord.messages(channel).filter(({ content }) => content.startsWith("📊"));
      // Half of it after the message stands.
      const hurry = discord.slow({ method: "POST", path: /messages$/, fromMs: 2_000, toMs: 2_000 });
      const aheadMs = at + 1_000 - Date.now();
      await clock.set(worker, aheadMs);
      await discord.waitFor(() => digests()[0], "the digest", 20_000);
      await worker.kill();
      expect(worker.output()).not.toContain("a digest was posted");
      hurry();
      discordAheadMs += nonceMs;

      worker = world.launch({
        ...environment,
        ...createBotClock(world.directory, aheadMs).environment,
        ROLE: "worker",
      });
      expect(await worker.printed("a digest was posted", takeoverMs)).toContain('"isPosted":true');
      expect(digests()).toHaveLength(1);
    }, 90_000);
  });
});
