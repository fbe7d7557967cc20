import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dataRecord } from "../../src/storage/data-record.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { dataVersion } from "../../src/storage/prepare-data.ts";
import { type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { queueOn, startCrew } from "../support/process/bot-forms.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { allRing, countRings, placeIn, settleTenants, type Tenant } from "../support/process/tenants.ts";
import { type Bot, createWorld, run, type World, withManagers } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

/** How often every process is replaced. */
const rounds = sized(1, 10);
const timeout = 120_000 + rounds * 60_000;

describe.skipIf(!redisInstalled)("a gateway and two workers", { timeout }, () => {
  let redis: DatabaseServer;
  let world: World;
  let environment: Readonly<Record<string, string>>;
  /** While a gateway restarts, Discord's 3 s do not pass, because a machine under load may take longer. */
  let frozenAt: number | undefined;
  beforeEach(async () => {
    redis = await startRedisServer();
    frozenAt = undefined;
    world = await createWorld({ discord: { now: () => frozenAt ?? Date.now() } });
    environment = queueOn(redis);
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  it("are replaced one by one while orders arrive and people ask: none lost, none doubled, each answered; they stop where data of a later version stands", async () => {
    const crew = await startCrew(world, environment);
    let { gateway } = crew;
    const { workers } = crew;
    const asking = withManagers(world, 40 * rounds);
    const tenants = await settleTenants(world, 4);
    const placed = new Map<Tenant, string[]>(tenants.map((tenant) => [tenant, []]));
    const asked: Interaction[] = [];
    /** Some orders and some questions, as at any moment. */
    function live() {
      for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 2));
      for (let n = 0; n < 3; n++)
        asked.push(run(asking, "store settings", {}, `manager${asked.length % (40 * rounds)}`));
    }
    const ends: Awaited<ReturnType<Bot["stop"]>>[] = [];

    for (let round = 0; round < rounds; round++) {
      for (const index of workers.keys()) {
        live();
        const next = world.launch({ ...environment, ROLE: "worker" });
        live();
        const ended = workers[index]?.stop();
        live();
        if (ended) ends.push(await ended);
        workers[index] = next;
        live();
        await next.printed('"msg":"ready"');
      }
      live();
      await Promise.all(asked.map((interaction) => interaction.settled()));
      frozenAt = Date.now();
      const ended = gateway.stop();
      live();
      ends.push(await ended);
      live();
      gateway = await world.start({ ...environment, ROLE: "gateway" });
      live();
      await Promise.all(asked.map((interaction) => interaction.settled()));
      frozenAt = undefined;
      live();
    }
    await allRing(world, placed);
    for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 1));
    await allRing(world, placed);
    const answers = await Promise.all(asked.map((interaction) => interaction.settled()));

    expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
    for (const answer of answers) expect(textOf(answer)).toContain("Settings");
    expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));

    const storage = await openStorage(`${redis.url}/1`, { warn: () => undefined });
    await dataRecord.write(storage, { version: dataVersion + 1, shopbell: "9.0.0" });
    await storage.close();

    const late = world.launch({ ...environment, ROLE: "worker" });
    expect(await late.exited).toBe(1);
    expect(late.output()).toContain("Start Shopbell 9.0.0 or later");
    // A running worker learns it from the claim that it renews.
    const [worker] = workers;
    expect(await worker?.exited).toBe(1);
    expect(worker?.output()).toContain("Start Shopbell 9.0.0 or later");
  });
});
