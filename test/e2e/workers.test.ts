import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";
import { textOf } from "../sandbox/discord/discord.ts";

const place = ({ store }: World, count: number) => store.placeOrders(count).map(({ id }) => id);

describe.skipIf(!redisInstalled)("a gateway and two workers on one queue", () => {
  let redis: DatabaseServer;
  beforeAll(async () => {
    redis = await createRedisServer();
    await redis.start();
  });
  afterAll(() => redis.remove());

  async function startAll(world: World) {
    const shared = { QUEUE_URL: redis.url, SECRET_KEYS: Buffer.alloc(32, 7).toString("base64") };
    const gateway = await world.start({ ...shared, ROLE: "gateway" });
    const workers = [0, 1].map(() => world.launch({ ...shared, ROLE: "worker" }));
    await Promise.all(workers.map((worker) => worker.printed('"msg":"ready"')));
    return { gateway, workers };
  }

  it("rings once for every order", async () => {
    await using world = await createWorld();
    const { gateway, workers } = await startAll(world);
    await connectStore(world);
    await setAlerts(world);
    const ids = [...place(world, 3), ...place(world, 7)];
    await allShown(world, ids, 12_000).catch((e) => {
      for (const bot of [gateway, ...workers]) process.stderr.write(bot.output().slice(-4500) + "\n=====\n");
      throw e;
    });
    expect(timesShown(world, ids)).toEqual(ids.map(() => 1));
    expect(textOf(await run(world, "alerts status").settled())).toMatch(/second/);
  });
});
