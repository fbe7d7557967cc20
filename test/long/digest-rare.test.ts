import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BotClock, createBotClock } from "../support/bot-clock.ts";
import { sharedKeys, startCrew } from "../support/bot-forms.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/database-server.ts";
import { yearly } from "../support/polls.ts";
import { type Bot, connectStore, createWorld, run, type World } from "../support/world.ts";

const hourMs = 60 * 60_000;
/** The bot is told of the digest so long before its hour. */
const aheadMs = 10_000;

/** Sets the clocks of a bot's processes to shortly before an hour. Returns that hour. */
async function setBeforeAnHour(clock: BotClock, bots: readonly Bot[]): Promise<number> {
  const at = Math.ceil((Date.now() + aheadMs) / hourMs) * hourMs;
  const offsetMs = at - aheadMs - Date.now();
  for (const bot of bots) await clock.set(bot, offsetMs);
  return new Date(at).getUTCHours();
}

/** Waits for a digest at an hour that is about to come. It comes once, and not late. */
async function expectDigest(world: World, clock: BotClock, bots: readonly Bot[]) {
  const { discord, guild } = world;
  const channel = guild.channel("new-orders");
  const digests = () => discord.messages(channel).filter(({ content }) => content.startsWith("📊"));
  await connectStore(world);
  const hour = await setBeforeAnHour(clock, bots);
  await run(world, "digest set", { channel, every: "day", hour, timezone: "UTC" }).settled();
  const digest = await discord.waitFor(() => digests()[0], "the digest", aheadMs + 60_000);
  expect(digest.embeds[0]?.description).not.toContain("late");
  expect(digests()).toHaveLength(1);
}

// Each test waits for its hour, and does nothing meanwhile.
describe.concurrent("a digest where polls are made once a year", () => {
  it("comes at its hour all the same", async () => {
    await using world = await createWorld();
    const clock = createBotClock(world.directory);
    const bot = await world.start({ ...clock.environment, POLL_SCHEDULE: yearly });
    await expectDigest(world, clock, [bot]);
  });

  describe.skipIf(!redisInstalled)("by two workers", () => {
    let redis: DatabaseServer;
    beforeAll(async () => {
      redis = await startRedisServer();
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    it("comes at its hour, once", async () => {
      await using world = await createWorld();
      const clock = createBotClock(world.directory);
      const stores = { QUEUE_URL: redis.url, STORAGE_URL: `${redis.url}/1` };
      const environment = { ...sharedKeys, ...clock.environment, ...stores, POLL_SCHEDULE: yearly };
      const { gateway, workers } = await startCrew(world, environment);
      await expectDigest(world, clock, [gateway, ...workers]);
    });
  });
});
