import { PermissionFlagsBits } from "discord.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { type BotForm, type OpenForm, onSqlite } from "../support/bot-forms.ts";
import { whenLong } from "../support/sized.ts";
import { placeIn, pollsOf, settleTenants, type Tenant } from "../support/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

let world: World;
let form: OpenForm;

const channel = () => world.guild.channel("new-orders");
const alertsOf = (id: string, place = channel()) =>
  world.discord.messages(place).filter((message) => textOf(message).includes(id.slice(0, 8)));
const rings = (id: string, deadlineMs = 10_000, place = channel()) =>
  world.discord.waitFor(() => alertsOf(id, place)[0], `order ${id} rang`, deadlineMs);

/** Waits until the bot has read the order list this often from now on. */
async function polls(count: number, deadlineMs = 15_000) {
  const isList = ({ path }: { path: string }) => path.endsWith("/checkout/order");
  const before = world.store.requests.filter(isList).length;
  await world.store.waitFor(
    () => world.store.requests.filter(isList).length >= before + count,
    `${count} polls`,
    deadlineMs,
  );
}

function newOrder() {
  describe("a new order", () => {
    it("is in the channel once, and is edited when it leaves PENDING", async () => {
      const before = world.store.placeOrders(3);
      await form.start(world);
      expect(await connectStore(world)).toContain("connected");
      expect(await setAlerts(world)).toContain("3");

      const opening = world.discord.messages(channel()).map(textOf).join("\n");
      expect(opening).toContain("3");

      const order = world.store.placeOrder();
      const alert = await rings(order.id);
      expect(textOf(alert)).toContain(order.id);
      expect(textOf(alert)).not.toContain(order.customer.email);
      expect(customIdsOf(alert).join()).toContain(order.id);

      world.store.setStatus(order.id, "PAID");
      await world.discord.waitFor(
        () => alertsOf(order.id).find((message) => textOf(message).includes("Paid")),
        "the edit",
      );
      await polls(2);
      expect(alertsOf(order.id)).toHaveLength(1);
      for (const { id } of before) expect(alertsOf(id)).toHaveLength(0);
    });

    it("mentions the chosen role and nothing that a customer wrote", async () => {
      await form.start(world);
      await connectStore(world);
      const role = world.guild.role("Staff");
      await setAlerts(world, { role });
      const order = world.store.placeOrder({
        items: [{ productId: crypto.randomUUID(), productTitle: "@everyone <@&1> **free**", quantity: 1, price: 1 }],
      } as never);
      const alert = await rings(order.id);

      expect(alert.mention_roles).toEqual([role]);
      expect(alert.mention_everyone).toBe(false);
    });
  });
}

function burst() {
  describe("a burst", () => {
    it("appears whole and in order, several orders to a message", async () => {
      await form.start(world);
      await connectStore(world);
      await setAlerts(world);
      const orders = world.store.placeOrders(120);
      const last = orders.at(-1);
      if (!last) throw new Error("no orders");
      const positions = () => {
        const text = world.discord.messages(channel()).map(textOf).join("\n");
        return orders.map(({ id }) => text.indexOf(id.slice(0, 8)));
      };
      await world.discord.waitFor(
        () => (positions().every((at) => at >= 0) ? true : undefined),
        "all of the burst",
        20_000,
      );

      expect(positions()).toEqual([...positions()].sort((a, b) => a - b));
      expect(world.discord.messages(channel()).length).toBeLessThan(12);
      for (const { id } of orders) expect(alertsOf(id)).toHaveLength(1);
    });
  });
}

/** Waits until the bot has read each one's order list this often from now on. */
async function pollsOfEach(tenants: readonly Tenant[], count: number, deadlineMs = 15_000) {
  const before = tenants.map((tenant) => pollsOf(tenant).length);
  const isDone = () => tenants.every((tenant, index) => pollsOf(tenant).length >= (before[index] ?? 0) + count);
  await world.store.waitFor(isDone, `${count} polls of each`, deadlineMs);
}

function lostChannel() {
  describe("a lost channel", () => {
    // Both at once: one kill and one start serve the two of them, and after a kill workers take their time.
    it("that is deleted or forbidden keeps the orders owed, tells the owner once, and gets all of them when mended", async () => {
      const { discord } = world;
      const bot = await form.start(world);
      const tenants = await settleTenants(world, 2);
      const [deleted, forbidden] = tenants;
      if (!deleted || !forbidden) throw new Error("no servers");
      const placeOf = ({ guild }: Tenant) => guild.channel("new-orders");
      const toldTo = ({ guild }: Tenant) => discord.dms(guild.person("owner"));
      discord.deleteChannel(placeOf(deleted));
      discord.setBotPermissions(placeOf(forbidden), { deny: PermissionFlagsBits.SendMessages });
      const placed = new Map(tenants.map((tenant) => [tenant, placeIn(tenant, 2)]));
      for (const tenant of tenants) await discord.waitFor(() => toldTo(tenant)[0], "the owner was told");
      await bot.kill();
      await form.start(world);
      for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 2));
      await pollsOfEach(tenants, 3, 15_000 + form.takeoverMs);
      for (const tenant of tenants) {
        const status = textOf(await run(tenant, "alerts status").settled());
        expect(status).toMatch(/waiting to be posted:\*\* 4/);
      }

      const tries = (tenant: Tenant) =>
        discord.requests.filter(({ method, path }) => method === "POST" && path.includes(placeOf(tenant))).length;
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
      for (const id of placed.get(deleted) ?? []) expect(await rings(id, 8_000, staff)).toBeDefined();
      discord.setBotPermissions(placeOf(forbidden), {});
      for (const id of placed.get(forbidden) ?? []) {
        // Each try that failed doubles the wait.
        expect(await rings(id, 60_000, placeOf(forbidden))).toBeDefined();
      }
      for (const id of placed.get(forbidden) ?? []) expect(alertsOf(id, placeOf(forbidden))).toHaveLength(1);
      for (const tenant of tenants) expect(toldTo(tenant)).toHaveLength(1);
    }, 150_000);
  });
}

function refusedToken() {
  describe("a refused token", () => {
    it("stops the polls, is said once, and orders of the meantime ring when a new one is entered", async () => {
      await form.start(world);
      await connectStore(world);
      await setAlerts(world);
      world.store.rotateToken("a-new-token-from-the-panel");
      const refusal = () =>
        world.discord.messages(channel()).filter((message) => textOf(message).includes("refuses the API token"));
      await world.discord.waitFor(() => refusal()[0], "the refusal is said", 8_000);
      const order = world.store.placeOrder();
      const requests = world.store.requests.length;
      expect(textOf(await run(world, "store status").settled())).toContain("The store refuses the API token");
      expect(await connectStore(world, "a-new-token-from-the-panel")).toContain("connected");

      await rings(order.id);
      expect(refusal()).toHaveLength(1);
      // One for the status, one to check the new token, and the polls that follow.
      expect(world.store.requests.length - requests).toBeLessThan(20);
    });
  });
}

function storeDown() {
  describe("a store that is down", () => {
    it("costs no order: what came meanwhile rings when it answers again", async () => {
      await form.start(world);
      await connectStore(world);
      await setAlerts(world);
      await world.store.down();
      const orders = world.store.placeOrders(3);
      expect(textOf(await run(world, "store status").settled())).toContain("cannot be reached");

      await world.store.up();
      for (const { id } of orders) expect(await rings(id, 20_000)).toBeDefined();

      await polls(2);
      for (const { id } of orders) expect(alertsOf(id)).toHaveLength(1);
    });
  });
}

/** What alerts do from end to end, the same in whichever form the bot runs. Forms but the first have the shortest cases by default. */
export function alertSuite(kind: BotForm): void {
  describe.skipIf(!kind.isInstalled)(kind.name, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      form = await kind.open();
    });
    afterAll(() => form[Symbol.asyncDispose]());
    beforeEach(async () => {
      await form.empty();
      world = await createWorld();
    });
    afterEach(async () => {
      const { refusals } = world.discord;
      await world[Symbol.asyncDispose]();
      expect(refusals).toEqual([]);
    });

    newOrder();
    storeDown();
    const others = () => {
      burst();
      lostChannel();
      refusedToken();
    };
    if (kind === onSqlite) others();
    else whenLong(others);
  });
}
