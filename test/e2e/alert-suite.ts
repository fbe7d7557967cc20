import { PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { type BotForm, type OpenForm, onSqlite, type RunningBot } from "../support/bot-forms.ts";
import { whenLong } from "../support/sized.ts";
import { allRing, countRings, placeIn, pollsOf, settleTenants, type Tenant } from "../support/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

let form: OpenForm;
let world: World;
let bot: RunningBot;

const settled = async (): Promise<Tenant> => {
  const [tenant] = await settleTenants(world, 1);
  if (!tenant) throw new Error("no server");
  return tenant;
};
const channelOf = ({ guild }: Tenant) => guild.channel("new-orders");
const alertsOf = (tenant: Tenant, id: string, place = channelOf(tenant)) =>
  world.discord.messages(place).filter((message) => textOf(message).includes(id.slice(0, 8)));
const rings = (tenant: Tenant, id: string, deadlineMs = 10_000, place = channelOf(tenant)) =>
  world.discord.waitFor(() => alertsOf(tenant, id, place)[0], `order ${id} rang`, deadlineMs);
/** Waits until the bot has read each one's order list this often from now on. */
const pollsOfEach = async (tenants: readonly Tenant[], count: number, deadlineMs = 15_000) => {
  const before = tenants.map((tenant) => pollsOf(tenant).length);
  const isDone = () => tenants.every((tenant, index) => pollsOf(tenant).length >= (before[index] ?? 0) + count);
  await world.store.waitFor(isDone, `${count} polls of each`, deadlineMs);
};

function shortest() {
  it("a new order is in the channel once, is edited when it leaves PENDING, and mentions nothing that a customer wrote", async () => {
    const tenant: Tenant = { ...world, guild: world.discord.addGuild(), shop: world.store.addShop() };
    const before = placeIn(tenant, 3);
    expect(await connectStore(tenant, tenant.shop.token)).toContain("connected");
    const role = tenant.guild.role("Staff");
    expect(await setAlerts(tenant, { role })).toContain("3");
    expect(world.discord.messages(channelOf(tenant)).map(textOf).join("\n")).toContain("3");

    const order = tenant.shop.placeOrder({
      items: [{ productId: crypto.randomUUID(), productTitle: "@everyone <@&1> **free**", quantity: 1, price: 1 }],
    });
    const alert = await rings(tenant, order.id);
    expect(textOf(alert)).toContain(order.id);
    expect(textOf(alert)).not.toContain(order.customer.email);
    expect(customIdsOf(alert).join()).toContain(order.id);
    expect(alert.mention_roles).toEqual([role]);
    expect(alert.mention_everyone).toBe(false);

    tenant.shop.setStatus(order.id, "PAID");
    const isEdited = () => alertsOf(tenant, order.id).find((message) => textOf(message).includes("Paid"));
    await world.discord.waitFor(isEdited, "the edit");
    await pollsOfEach([tenant], 2);
    expect(alertsOf(tenant, order.id).filter(({ message_reference }) => !message_reference)).toHaveLength(1);
    for (const id of before) expect(alertsOf(tenant, id)).toHaveLength(0);
  });

  it("a store that is down costs no order: what came meanwhile rings when it answers again", async () => {
    const tenant = await settled();
    await world.store.down();
    const ids = placeIn(tenant, 3);
    expect(textOf(await run(tenant, "store status").settled())).toContain("cannot be reached");

    await world.store.up();
    await allRing(world, new Map([[tenant, ids]]), 20_000);
    await pollsOfEach([tenant], 2);
    expect(countRings(new Map([[tenant, ids]]))).toEqual({ lost: 0, doubled: 0 });
  });
}

function burstAndToken() {
  it("a burst appears whole and in order, several orders to a message", async () => {
    const tenant = await settled();
    const ids = placeIn(tenant, 120);
    const positions = () => {
      const text = world.discord.messages(channelOf(tenant)).map(textOf).join("\n");
      return ids.map((id) => text.indexOf(id.slice(0, 8)));
    };
    await allRing(world, new Map([[tenant, ids]]), 20_000);

    expect(positions()).toEqual([...positions()].sort((a, b) => a - b));
    expect(world.discord.messages(channelOf(tenant)).length).toBeLessThan(12);
    expect(countRings(new Map([[tenant, ids]]))).toEqual({ lost: 0, doubled: 0 });
  });

  it("a refused token stops the polls, is said once, and orders of the meantime ring when a new one is entered", async () => {
    const [tenant, witness] = await settleTenants(world, 2);
    if (!tenant || !witness) throw new Error("no servers");
    const { token: old } = tenant.shop;
    const token = `${tenant.shop.token}-of-today`;
    tenant.shop.rotateToken(token);
    const refusal = () =>
      world.discord.messages(channelOf(tenant)).filter((message) => textOf(message).includes("refuses the API token"));
    await world.discord.waitFor(() => refusal()[0], "the refusal is said", 8_000);
    const [id = ""] = placeIn(tenant, 1);
    expect(textOf(await run(tenant, "store status").settled())).toContain("The store refuses the API token");
    const asked = () => world.store.requests.filter((request) => request.token === old).length;
    const before = asked();
    await pollsOfEach([witness], 4);
    expect(asked() - before).toBeLessThanOrEqual(1);
    expect(await connectStore(tenant, token)).toContain("connected");

    await rings(tenant, id);
    expect(refusal()).toHaveLength(1);
  });
}

function lostChannels() {
  // Both at once: one kill and one start serve the two of them, and after a kill workers take their time.
  it("a channel that is deleted or forbidden keeps the orders owed, tells the owner once, and gets all of them when mended", async () => {
    const { discord } = world;
    const tenants = await settleTenants(world, 2);
    const [deleted, forbidden] = tenants;
    if (!deleted || !forbidden) throw new Error("no servers");
    const toldTo = ({ guild }: Tenant) => discord.dms(guild.person("owner"));
    discord.deleteChannel(channelOf(deleted));
    discord.setBotPermissions(channelOf(forbidden), { deny: PermissionFlagsBits.SendMessages });
    const placed = new Map(tenants.map((tenant) => [tenant, placeIn(tenant, 2)]));
    for (const tenant of tenants) await discord.waitFor(() => toldTo(tenant)[0], "the owner was told");
    await bot.kill();
    bot = await form.start(world);
    for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 2));
    await pollsOfEach(tenants, 3, 15_000 + form.takeoverMs);
    for (const tenant of tenants) {
      const status = textOf(await run(tenant, "alerts status").settled());
      expect(status).toMatch(/waiting to be posted:\*\* 4/);
    }

    const tries = (tenant: Tenant) =>
      discord.requests.filter(({ method, path }) => method === "POST" && path.includes(channelOf(tenant))).length;
    const before = tenants.map(tries);
    const from = performance.now();
    await pollsOfEach(tenants, 5);
    // A lost channel is left alone for 8 s at least by whoever tried, and not at each of 5 polls; a worker that lost a
    // server and has it again tries once more.
    const most = form.pollers * (2 + Math.floor((performance.now() - from) / 8_000));
    for (const [index, tenant] of tenants.entries())
      expect(tries(tenant) - (before[index] ?? 0)).toBeLessThanOrEqual(most);

    const staff = deleted.guild.channel("staff");
    await run(deleted, "alerts set", { channel: staff }).settled();
    for (const id of placed.get(deleted) ?? []) await rings(deleted, id, 8_000, staff);
    discord.setBotPermissions(channelOf(forbidden), {});
    // Each try that failed doubles the wait.
    for (const id of placed.get(forbidden) ?? []) await rings(forbidden, id, 60_000);
    for (const id of placed.get(forbidden) ?? []) expect(alertsOf(forbidden, id)).toHaveLength(1);
    for (const tenant of tenants) expect(toldTo(tenant)).toHaveLength(1);
  }, 150_000);
}

/** What alerts do from end to end, the same in whichever form the bot runs. Forms but the first have the shortest cases by default. */
export function alertSuite(kind: BotForm): void {
  describe.skipIf(!kind.isInstalled)(kind.name, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      form = await kind.open();
      world = await createWorld();
      bot = await form.start(world);
    });
    afterAll(async () => {
      await world[Symbol.asyncDispose]();
      await form[Symbol.asyncDispose]();
    });

    shortest();
    const others = () => {
      burstAndToken();
      lostChannels();
    };
    if (kind === onSqlite) others();
    else whenLong(others);
  });
}
