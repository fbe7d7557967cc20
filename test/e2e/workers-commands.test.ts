import { PermissionFlagsBits } from "@discordjs/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import { queueOn, startCrew } from "../support/process/bot-forms.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { yearly } from "../support/process/polls.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { placeIn, settleTenant, type Tenant } from "../support/process/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

/** A refused channel is tried again after 30 s anyhow. */
const promptMs = 20_000;

/** Channels that have a message about the order. */
function placesOf(tenant: Tenant, id: string): string[] {
  const { discord, guild } = tenant;
  return guild.channels
    .filter((channel) => discord.messages(channel.id).some((message) => textOf(message).includes(id.slice(0, 8))))
    .map(({ name }) => name);
}

const rings = (tenant: Tenant, id: string, deadlineMs?: number) =>
  tenant.discord.waitFor(
    () => (placesOf(tenant, id).length > 0 ? placesOf(tenant, id) : undefined),
    `order ${id} rang`,
    deadlineMs,
  );

const statusOf = async (tenant: Tenant) => textOf(await run(tenant, "alerts status").settled());

async function detailsOf(tenant: Tenant): Promise<string> {
  const line = await run(tenant, "store status").settled();
  return textOf(await tenant.discord.press(tenant.guild.person("owner"), line, "Details").settled());
}

const forbid = ({ discord, guild }: Tenant) =>
  discord.setBotPermissions(guild.channel("new-orders"), { deny: PermissionFlagsBits.SendMessages });
const allow = ({ discord, guild }: Tenant) => discord.setBotPermissions(guild.channel("new-orders"), {});

// A change by a command reaches the workers even without a poll.
describe.skipIf(!redisInstalled)("commands in the gateway, while two workers poll once a year", () => {
  let redis: DatabaseServer;
  let world: World;
  beforeAll(async () => {
    redis = await startRedisServer();
    world = await createWorld();
    await startCrew(world, { ...queueOn(redis), POLL_SCHEDULE: yearly });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  it("after `/alerts set`, orders are announced in the other channel only, and after `/store connect` workers read with the new token", async () => {
    const tenant = await settleTenant(world);
    const [first = ""] = placeIn(tenant, 1);
    await setAlerts(tenant, { channel: tenant.guild.channel("staff") });
    expect(await rings(tenant, first)).toEqual(["staff"]);

    tenant.shop.rotateToken(`${tenant.shop.token}-of-today`);
    const [second = ""] = placeIn(tenant, 1);
    expect(await connectStore(tenant, tenant.shop.token)).toContain("connected");
    expect(await rings(tenant, second)).toEqual(["staff"]);
  });

  it("workers are told at once that a channel takes messages again", async () => {
    const tenant = await settleTenant(world);
    forbid(tenant);
    const [id = ""] = placeIn(tenant, 1);
    // The command brings the poll that finds the order.
    await connectStore(tenant, tenant.shop.token);
    const owner = tenant.guild.person("owner");
    await tenant.discord.waitFor(() => tenant.discord.dms(owner)[0], "the owner was told");
    // The bot throttles a person who asks more often.
    await expect.poll(() => statusOf(tenant), { interval: 2_000 }).toMatch(/Last problem:\*\* <t:\d+:R> · /);
    expect(await statusOf(tenant)).toMatch(/waiting to be posted:\*\* 1/);

    allow(tenant);

    expect(await rings(tenant, id, promptMs)).toEqual(["new-orders"]);
  });

  it("the alert of a worker shows who took its order in the gateway, whatever its status becomes", async () => {
    const tenant = await settleTenant(world);
    const { discord, guild, shop } = tenant;
    const [id = ""] = placeIn(tenant, 1);
    // The command brings the poll.
    const poll = () => connectStore(tenant, shop.token);
    await poll();
    await discord.press(guild.person("owner"), await alertOf(tenant, id), "Take").settled();
    shop.setStatus(id, "PAID");
    await poll();

    const paid = await alertOf(tenant, id, (text) => text.includes("Paid"));
    expect(textOf(paid)).toContain(`🙋 Taken by <@${guild.person("owner")}>`);
    expect(buttonsOf(paid).map(({ label }) => label)).toEqual(["Open", "Done", "Give back"]);
  });

  it("`/alerts status` and `/store status` show the delay, the last check and the last problem of the workers", async () => {
    const tenant = await settleTenant(world);
    const [id = ""] = placeIn(tenant, 1);
    await connectStore(tenant, tenant.shop.token);
    await rings(tenant, id);
    for (const show of [statusOf, detailsOf]) {
      const shown = await show(tenant);
      expect(shown).toMatch(/Delay:\*\* \d+ s/);
      expect(shown).toMatch(/Last problem:\*\* none/);
    }

    const end = tenant.store.fail({ token: tenant.shop.token, status: 500 });
    const failed = tenant.store.requests.length;
    await setAlerts(tenant, { channel: tenant.guild.channel("staff") });
    const isFailed = () => tenant.store.requests.slice(failed).filter(({ status }) => status === 500).length >= 4;
    await tenant.store.waitFor(isFailed, "a poll that failed");
    end();
    const fromWorker = /Last check for orders:\*\* <t:\d+:R>.*Last problem:\*\* <t:\d+:R> · ./s;
    await expect.poll(() => statusOf(tenant), { interval: 2_000 }).toMatch(fromWorker);
  });
});
