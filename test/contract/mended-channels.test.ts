import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { createPolling } from "../../src/create-polling.ts";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createLog } from "../../src/operations/log.ts";
import { routeTroublesTable } from "../../src/outbox/channel-health.ts";
import type { Messenger } from "../../src/outbox/messenger.ts";
import { createNotes } from "../../src/poll-queue/notes.ts";
import { slotOf } from "../../src/poll-queue/slots.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { StoreApi } from "../../src/store-api/store-api.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { rule } from "../support/routes-world.ts";

const log = createLog({ level: "silent", terminal: false });

describe.skipIf(!redisInstalled)("a channel of a rule that was closed, and is changed (install redis-server)", () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
  });
  afterAll(() => server?.remove());

  it("has the workers poll its server again at once, and that of a rule which is gone does not", async () => {
    const storage = await openStorage("sqlite://:memory:", log);
    const vault = createVault([Buffer.alloc(32, 7)]);
    const guilds = createGuilds({ storage, vault });
    const ending = new AbortController();
    const gateway = await createPolling({
      config: { pollSchedule: "0 0 0 * * *", queueUrl: server.url, role: "gateway" },
      storage,
      vault,
      guilds,
      storeApi: {} as StoreApi,
      messenger: {} as Messenger,
      log,
      metrics: noMetrics,
      signal: ending.signal,
      applicationId: "1",
      assertPrepared: async () => undefined,
      onTerm: () => undefined,
      onChanged: () => undefined,
    });
    const redis = new Redis(server.url);
    const notes = createNotes(redis, "shopbell:1:notes");
    const [ruled, unruled] = ["1", "3"];
    for (const id of [ruled, unruled]) {
      await storage.table(routeTroublesTable).set(id, { keys: { since: 1, told: true } });
    }
    await guilds.update(ruled, (guild) => ({ ...guild, routes: [rule({ id: "keys" })] }));
    expect(slotOf(ruled)).not.toBe(slotOf(unruled));
    const version = await notes.version(slotOf(ruled), ruled);

    gateway.alerts.channelMended(unruled);
    gateway.alerts.channelMended(ruled);

    await vi.waitFor(async () => expect(await notes.isDue(slotOf(ruled))).toBe(true), 10_000);
    // By that a worker forgets for how long it leaves the channel alone.
    expect(await notes.version(slotOf(ruled), ruled)).toBeGreaterThan(version);
    expect(await notes.isDue(slotOf(unruled))).toBe(false);
    ending.abort();
    await gateway.close();
    redis.disconnect();
    await storage.close();
  });
});
