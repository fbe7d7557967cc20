import { PermissionFlagsBits } from "@discordjs/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { sharedKeys, startCrew } from "../support/bot-forms.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { sized } from "../support/sized.ts";
import { placeIn, pollsOf, settleTenants, type Tenant } from "../support/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const promptMs = 15_000;
/** Matches once a year, and not today. */
const never = `0 0 0 ${(new Date().getUTCDate() % 28) + 1} ${((new Date().getUTCMonth() + 5) % 12) + 1} *`;

/** Where in the server's channels an order stands. */
function placesOf(tenant: Tenant, id: string): string[] {
  const { discord, guild } = tenant;
  return guild.channels
    .filter((channel) => discord.messages(channel.id).some((message) => textOf(message).includes(id.slice(0, 8))))
    .map(({ name }) => name);
}

const rings = (tenant: Tenant, id: string, deadlineMs = promptMs) =>
  tenant.discord.waitFor(
    () => (placesOf(tenant, id).length > 0 ? placesOf(tenant, id) : undefined),
    `order ${id} rang`,
    deadlineMs,
  );

async function polls(tenant: Tenant, count: number) {
  const before = pollsOf(tenant).length;
  await tenant.store.waitFor(() => pollsOf(tenant).length >= before + count, `${count} polls of a server`, promptMs);
}

const statusOf = async (tenant: Tenant, command = "alerts status") => textOf(await run(tenant, command).settled());

/** The whole of `/store status`. */
async function detailsOf(tenant: Tenant): Promise<string> {
  const line = await run(tenant, "store status").settled();
  return textOf(await tenant.discord.press(tenant.guild.person("owner"), line, "Details").settled());
}

async function confirm(tenant: Tenant, command: string): Promise<string> {
  const asked = await run(tenant, command).settled();
  const { discord, guild } = tenant;
  return textOf(await discord.press(guild.person("owner"), asked, "Confirm").settled());
}

const forbid = ({ discord, guild }: Tenant) =>
  discord.setBotPermissions(guild.channel("new-orders"), { deny: PermissionFlagsBits.SendMessages });
const allow = ({ discord, guild }: Tenant) => discord.setBotPermissions(guild.channel("new-orders"), {});

/** What a command changes reaches workers without a poll, too. */
const schedules: [string, string][] = [
  ["once a year", never],
  ["every second", "*/1 * * * * *"],
];

describe.skipIf(!redisInstalled).each(schedules.slice(0, sized(1, 2)))(
  "commands in the gateway, while two workers poll %s",
  (_, schedule) => {
    const isOften = schedule !== never;
    let redis: DatabaseServer;
    let world: World;
    /** Its polls show that time passes. */
    let witness: Tenant;
    beforeAll(async () => {
      redis = await createRedisServer();
      await redis.start();
      world = await createWorld();
      const stores = { QUEUE_URL: redis.url, STORAGE_URL: `${redis.url}/1` };
      await startCrew(world, { ...sharedKeys, ...stores, POLL_SCHEDULE: schedule });
      [witness = await newTenant()] = await settleTenants(world, 1);
    }, 60_000);
    afterAll(async () => {
      await world[Symbol.asyncDispose]();
      await redis.remove();
    });

    async function newTenant(): Promise<Tenant> {
      const [tenant] = await settleTenants(world, 1);
      if (!tenant) throw new Error("no tenant");
      return tenant;
    }

    it("ring what comes after `/alerts set` in the other channel only", async () => {
      const tenant = await newTenant();
      if (isOften) {
        const [first = ""] = placeIn(tenant, 1);
        expect(await rings(tenant, first)).toEqual(["new-orders"]);
      }
      const [early = ""] = isOften ? [] : placeIn(tenant, 1);
      await setAlerts(tenant, { channel: tenant.guild.channel("staff") });
      const [late = early] = isOften ? placeIn(tenant, 1) : [];
      expect(await rings(tenant, late)).toEqual(["staff"]);
    });

    it("ring nothing after `/alerts off`, and ask the store no more", async () => {
      const tenant = await newTenant();
      expect(textOf(await run(tenant, "alerts off").settled())).toContain("off");
      const before = pollsOf(tenant).length;
      const [silent = ""] = placeIn(tenant, 1);
      if (isOften) await polls(witness, 3);
      expect(pollsOf(tenant).length - before).toBeLessThanOrEqual(1);
      expect(placesOf(tenant, silent)).toEqual([]);

      await setAlerts(tenant);
      const [loud = ""] = isOften ? placeIn(tenant, 1) : [];
      if (isOften) await rings(tenant, loud);
      expect(placesOf(tenant, silent)).toEqual([]);
    });

    it("forget the store after `/store disconnect`", async () => {
      const tenant = await newTenant();
      await confirm(tenant, "store disconnect");
      const before = tenant.store.requests.filter(({ token }) => token === tenant.shop.token).length;
      const [silent = ""] = placeIn(tenant, 1);
      if (isOften) await polls(witness, 3);
      const after = tenant.store.requests.filter(({ token }) => token === tenant.shop.token).length;
      expect(after - before).toBeLessThanOrEqual(1);
      expect(placesOf(tenant, silent)).toEqual([]);
    });

    it("poll with the new token after `/store connect`, and ring what came while the old one was refused", async () => {
      const tenant = await newTenant();
      const old = tenant.shop.token;
      tenant.shop.rotateToken(`${old}-of-today`);
      if (isOften) {
        const refusal = () =>
          tenant.discord
            .messages(tenant.guild.channel("new-orders"))
            .find((message) => textOf(message).includes("refuses the API token"));
        await tenant.discord.waitFor(refusal, "the refusal is said", promptMs);
      }
      const [id = ""] = placeIn(tenant, 1);
      expect(await connectStore(tenant, tenant.shop.token)).toContain("connected");
      await rings(tenant, id);
      const isOld = tenant.store.requests.filter(({ token }) => token === old).length;
      if (isOften) await polls(tenant, 3);
      expect(tenant.store.requests.filter(({ token }) => token === old)).toHaveLength(isOld);
    });

    it("take the orders of another store as seen, and ring only its new ones", async () => {
      const tenant = await newTenant();
      placeIn(tenant, 3);
      if (isOften) await polls(tenant, 2);
      const other: Tenant = { ...tenant, shop: world.store.addShop() };
      const seen = placeIn(other, 3);
      expect(await connectStore(other, other.shop.token)).toContain("connected");
      const [old = ""] = placeIn(tenant, 1);
      if (isOften) {
        const [fresh = ""] = placeIn(other, 1);
        await rings(other, fresh);
      } else {
        await setAlerts(other);
        await polls(other, 0);
      }
      for (const id of [...seen, old]) expect(placesOf(tenant, id)).toEqual([]);
    });

    it("tell the workers at once that a channel was mended", async () => {
      const tenant = await newTenant();
      forbid(tenant);
      const [id = ""] = placeIn(tenant, 1);
      // Where polls are rare, a command brings the one that finds the order.
      if (!isOften) await connectStore(tenant, tenant.shop.token);
      const owner = tenant.guild.person("owner");
      await tenant.discord.waitFor(() => tenant.discord.dms(owner)[0], "the owner was told", promptMs);
      // Somebody who asks more often is throttled.
      const patience = { timeout: promptMs, interval: 2_000 };
      await expect.poll(() => statusOf(tenant), patience).toMatch(/Last problem:\*\* <t:\d+:R> · /);
      expect(await statusOf(tenant)).toMatch(/waiting to be posted:\*\* 1/);

      allow(tenant);

      expect(await rings(tenant, id, 6_000)).toEqual(["new-orders"]);
    });

    it("show the last check, the delay and the last problem as the workers saw them", async () => {
      const begun = Math.floor(Date.now() / 1_000) - 1;
      const tenant = await newTenant();
      if (isOften) await polls(tenant, 2);
      const [id = ""] = placeIn(tenant, 1);
      if (!isOften) await connectStore(tenant, tenant.shop.token);
      await rings(tenant, id);
      for (const show of [statusOf, detailsOf]) {
        // A check that a command asked for is not shown, only those of the schedule. A worker says every 5 s when that was.
        const checkedAt = async () => Number(/Last check for orders:\*\* <t:(\d+):R>/.exec(await show(tenant))?.[1]);
        if (isOften) await expect.poll(checkedAt, { timeout: promptMs }).toBeGreaterThanOrEqual(begun);
        const shown = await show(tenant);
        expect(shown).toMatch(/Delay:\*\* \d+ s/);
        expect(shown).toMatch(/Last problem:\*\* none/);
      }

      const mend = world.store.fail({ token: tenant.shop.token, status: 500 });
      const failed = tenant.store.requests.length;
      if (!isOften) await setAlerts(tenant, { channel: tenant.guild.channel("staff") });
      const isFailed = () => tenant.store.requests.slice(failed).filter(({ status }) => status === 500).length >= 4;
      await tenant.store.waitFor(isFailed, "a poll that failed", promptMs);
      mend();
      const problem = async () => /Last problem:\*\* <t:\d+:R> · .+/.exec(await statusOf(tenant))?.[0];
      await expect.poll(problem, { timeout: promptMs }).toBeDefined();
    });
  },
);
