import { expect, it } from "vitest";
import { checkQueue } from "../../src/doctor/check-surroundings.ts";
import { createRedisServer, redisInstalled } from "../support/database-server.ts";

it.skipIf(!redisInstalled)(
  "the doctor says of the queue's Redis whether it answers, and says no password",
  async () => {
    const redis = await createRedisServer();
    try {
      await redis.start();
      expect(await checkQueue(redis.url)).toMatchObject({ state: "ok" });

      const withPassword = redis.url.replace("redis://", "redis://somebody:a-password@");
      const refused = await checkQueue(withPassword);
      expect(refused).toMatchObject({ state: "wrong", says: expect.stringContaining("WRONGPASS") });
      expect(JSON.stringify(refused)).not.toContain("a-password");

      await redis.kill();
      expect(await checkQueue(redis.url)).toMatchObject({
        state: "wrong",
        says: expect.stringContaining("ECONNREFUSED"),
      });
    } finally {
      await redis.remove();
    }
  },
);
