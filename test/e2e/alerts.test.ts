import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { type OpenForm, onPostgres, onRedis, onSqlite } from "../support/process/bot-forms.ts";
import { morePolls } from "../support/process/polls.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { allRing, countRings, placeIn, settleTenant, type Tenant } from "../support/process/tenants.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

const once = { lost: 0, doubled: 0 };

// By default only the first form has all tests. `workers-commands.test.ts` has workers by a queue, with their data in Redis.
const forms = [onSqlite, onPostgres, ...sized([], [onRedis])];
describe.each(forms.filter(({ isInstalled }) => isInstalled))("$name", (kind) => {
  const isWhole = kind === onSqlite || sized(false, true);
  let form: OpenForm;
  let world: World;
  beforeAll(async () => {
    form = await kind.open();
    world = await createWorld();
    await form.start(world);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await form[Symbol.asyncDispose]();
  });

  const textsIn = ({ guild }: Tenant, channel = "new-orders") =>
    world.discord.messages(guild.channel(channel)).map(textOf);

  it("a new order is in the channel once, is edited when it leaves PENDING, and mentions nothing that a customer wrote", async () => {
    const tenant: Tenant = { ...world, guild: world.discord.addGuild(), shop: world.store.addShop() };
    const before = placeIn(tenant, 3);
    await connectStore(tenant, tenant.shop.token);
    const role = tenant.guild.role("Staff");
    expect(await setAlerts(tenant, { role })).toContain("3");
    const order = tenant.shop.placeOrder({
      items: [{ productId: crypto.randomUUID(), productTitle: "@everyone <@&1> **free**", quantity: 1, price: 1 }],
    });
    const alert = await alertOf(tenant, order.id);
    expect(textOf(alert)).toContain(order.id);
    expect(textOf(alert)).not.toContain(order.customer.email);
    expect(customIdsOf(alert).join()).toContain(order.id);
    expect(alert.mention_roles).toEqual([role]);
    expect(alert.mention_everyone).toBe(false);

    tenant.shop.setStatus(order.id, "PAID");
    await alertOf(tenant, order.id, (text) => text.includes("Paid"));
    await morePolls(tenant, 2, tenant.shop);
    expect(countRings(new Map([[tenant, [order.id]]]))).toEqual(once);
    for (const id of before) expect(textsIn(tenant).join("\n")).not.toContain(id.slice(0, 8));
  });

  if (isWhole)
    it("the orders of an outage of the store are announced when it answers again, in order, several to a message", async () => {
      const tenant = await settleTenant(world);
      await world.store.down();
      const ids = placeIn(tenant, 120);
      expect(textOf(await run(tenant, "store status").settled())).toContain("cannot be reached");

      await world.store.up();
      await allRing(world, new Map([[tenant, ids]]));
      await morePolls(tenant, 2, tenant.shop);
      const text = textsIn(tenant).join("\n");
      const positions = ids.map((id) => text.indexOf(id.slice(0, 8)));
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(textsIn(tenant).length).toBeLessThan(12);
      expect(countRings(new Map([[tenant, ids]]))).toEqual(once);
    });

  if (isWhole)
    it("orders that wait for a deleted channel are posted in the channel that is chosen next, and the owner is told once", async () => {
      const { discord } = world;
      const tenant = await settleTenant(world);
      const toldTo = () => discord.dms(tenant.guild.person("owner"));
      discord.deleteChannel(tenant.guild.channel("new-orders"));
      const ids = placeIn(tenant, 2);
      await discord.waitFor(() => toldTo()[0], "the owner was told");
      ids.push(...placeIn(tenant, 2));
      await morePolls(tenant, 2, tenant.shop);
      expect(textOf(await run(tenant, "alerts status").settled())).toMatch(/waiting to be posted:\*\* 4/);

      await run(tenant, "alerts set", { channel: tenant.guild.channel("staff") }).settled();
      for (const id of ids) await alertOf(tenant, id, undefined, "staff");
      const shown = textsIn(tenant, "staff");
      for (const id of ids) expect(shown.filter((text) => text.includes(id.slice(0, 8)))).toHaveLength(1);
      expect(toldTo()).toHaveLength(1);
    });
});
