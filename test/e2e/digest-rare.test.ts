import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBotClock } from "../support/bot-clock.ts";
import { sharedKeys, startCrew } from "../support/bot-forms.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { connectStore, createWorld, run, type World } from "../support/world.ts";

const hourMs = 60 * 60_000;
/** Matches once a year, and not today. */
const never = `0 0 0 ${(new Date().getUTCDate() % 28) + 1} ${((new Date().getUTCMonth() + 5) % 12) + 1} *`;
/** Before its hour, the bot starts and is told of the digest. */
const aheadMs = 20_000;

/** The bot's clock is shortly before an hour when it starts; gives that hour. */
function beforeAnHour(directory: string) {
  const at = Math.ceil((Date.now() + aheadMs) / hourMs) * hourMs;
  const clock = createBotClock(directory, at - aheadMs - Date.now());
  return { hour: new Date(at).getUTCHours(), environment: { ...clock.environment, POLL_SCHEDULE: never } };
}

/** Sets a digest for that hour, and waits for it: it is there once, and not late. */
async function expectDigest(world: World, hour: number) {
  const { discord, guild } = world;
  const channel = guild.channel("new-orders");
  const digests = () => discord.messages(channel).filter(({ content }) => content.startsWith("📊"));
  await connectStore(world);
  await run(world, "digest set", { channel, every: "day", hour, timezone: "UTC" }).settled();
  const digest = await discord.waitFor(() => digests()[0], "the digest", 3 * aheadMs + 20_000);
  expect(digest.embeds[0]?.description).not.toContain("late");
  expect(digests()).toHaveLength(1);
}

describe("a digest where polls are made once a year", () => {
  it("comes at its hour all the same", async () => {
    await using world = await createWorld();
    const { hour, environment } = beforeAnHour(world.directory);
    await world.start(environment);
    await expectDigest(world, hour);
  }, 150_000);

  describe.skipIf(!redisInstalled)("by two workers", () => {
    let redis: DatabaseServer;
    beforeAll(async () => {
      redis = await createRedisServer();
      await redis.start();
    }, 60_000);
    afterAll(() => redis.remove());

    it("comes at its hour, once", async () => {
      await using world = await createWorld();
      const { hour, environment } = beforeAnHour(world.directory);
      await startCrew(world, { ...sharedKeys, ...environment, QUEUE_URL: redis.url });
      await expectDigest(world, hour);
    }, 150_000);
  });
});
