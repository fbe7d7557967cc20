import { describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { sentenceOf, told } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { run, setAlerts, suggested } from "../support/process/world.ts";

const token = "store-token-of-these-tests-Wx9Z";
const world = useBot({ managers: 40, isConnected: false }, ({ store }) => {
  store.rotateToken(token);
  store.seedProducts(3);
});
const { act, name, person } = world;

const at = (iso: string) => Math.floor(Date.parse(iso) / 1000);

describe("before a store is connected", () => {
  test("commands say how to connect one, and nothing is asked", async () => {
    const asked: Record<string, Record<string, string>> = {
      "store status": {},
      orders: {},
      order: { id: "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab" },
      products: {},
      customer: { email: "ana@example.com" },
      "export products": {},
      stats: { period: "week" },
      "alerts set": { channel: world.guild.channel("new-orders") },
      "alerts off": {},
      "alerts status": {},
      "alerts test": {},
    };
    for (const [command, options] of Object.entries(asked)) {
      expect(await sentenceOf(act(command, options), world), command).toBe(
        "No store is connected to this server yet. Someone with the Manage Server permission can connect one with `/store connect`.",
      );
    }
    expect(world.store.requests).toHaveLength(0);
  });
});

describe("with a store", () => {
  test("/store connect asks for the token in a modal, checks it, and shows its last four characters", async () => {
    const opener = act("store connect");
    const { modal } = await opener.answer();
    expect(modal?.title).toBe("Connect your store");

    const answer = world.discord.submit(person(), opener, { token: `  ${token} ` });
    expect(await told(answer)).toContain(
      `### ✅ Your store is connected\nAPI token ending in ${token.slice(-4)}. Choose where and how new orders are announced`,
    );
    expect(world.store.requests.map(({ path }) => path)).toEqual(["/open-api/checkout/order"]);
  });

  test("/store status shows the store, the token's end, and what is set", async () => {
    const line = await act("store status").settled();
    expect(textOf(await world.discord.press(person(), line, "Details").settled())).toBe(
      [
        "### ✅ Store",
        `**Store:** 127\\.0.0.1:${new URL(world.store.url).port}`,
        `**API token:** ending in ${token.slice(-4)}`,
        "**Answers now:** yes",
        "**Store accepts · status filter:** not checked yet",
        "**Store accepts · e-mail filter:** not checked yet",
        "**Store accepts · page size:** not checked yet",
        "**Store accepts · page number:** not checked yet",
        "**Last check for orders:** not yet",
        "**Delay:** 0 s",
        "**Last problem:** none",
        "**Currency:** not set (plain numbers)",
        "**Language of channel messages:** English",
        "**Time zone:** UTC",
        "**Customers in channels:** not shown",
        "**Staff role:** none",
      ].join("\n"),
    );
  });

  test("/order shows all that the API says about one", async () => {
    const order = world.store.placeOrder({
      items: [
        { productId: "a", productTitle: "Pixel Farm", quantity: 2, price: 19.5, inventory: "GOODS-IN-ITEM" },
        { productId: "b", productTitle: "Gift card", quantity: 1, price: 25 },
      ],
      pricing: { subtotal: 64, discount: 6.4, total: 57.6 },
      customer: { email: "ana@example.com", name: "Ana Souza" },
      paymentMethod: "PIX",
    });
    const placed = at(order.createdAt);
    expect(await told(act("order", { id: order.id }))).toBe(
      [
        "### 🟡 Order · Pending",
        `ID: \`${order.id}\``,
        `Placed: <t:${placed}:f> (<t:${placed}:R>)`,
        "**Items (2)**",
        "2 × Pixel Farm · 19.50 each · 39",
        "1 × Gift card · 25",
        "Subtotal: 64",
        "Discount: 6.40",
        "**Total: 57.60**",
        "Payment: Pix",
        "Customer: Ana Souza · ana@example.com",
        "Take",
        "Their orders",
      ].join("\n"),
    );
  });

  test("/orders lists the store's orders", async () => {
    const newest = world.store.placeOrder({
      status: "PAID",
      items: [{ productId: "a", productTitle: "Kart Legends", quantity: 3, price: 34 }],
      pricing: { subtotal: 102, discount: 0, total: 102 },
      customer: { email: "bruno@example.com", name: "Bruno Lima" },
    });
    const text = await told(act("orders"));
    expect(text).toContain("### Orders · Page 1 of 1");
    expect(text).toContain(
      `🟢 \`${newest.id.slice(0, 8)}\` · Paid · **102** · <t:${at(newest.createdAt)}:R>\n-# 3 × Kart Legends · Bruno Lima · bruno@example.com`,
    );
  });

  test("/products lists the store's products", async () => {
    const [product] = world.store.products;
    const text = await told(act("products"));
    expect(text).toContain("### Products · Page 1 of 1");
    expect(text).toContain(
      `\`${product?.id.slice(0, 8)}\` · Starfall Odyssey (Steam key) · **59.90** ~~79.90~~\n-# Starfall Odyssey (Steam key): delivered by e-mail within a minute of payment.`,
    );
  });

  test("/alerts set turns alerts on, status and test show them, and off ends them", async () => {
    const { discord, guild, store } = world;
    const channel = guild.channel("new-orders");
    const role = guild.role("Staff");
    expect(await setAlerts(world, { role, statuses: "PENDING, PAID" })).toBe(
      `✅ Order alerts come to <#${channel}> from now on.\n**${store.orders.length}** earlier orders get no alert.\nEveryone in this server can read <#${channel}>.\n**Role:** <@&${role}>\n**Alerts for:** Pending, Paid\n**Refunds:** a reply to the alert, without mentioning the role\nNo role`,
    );

    const status = await told(act("alerts status"));
    expect(status).toContain(
      `### ✅ Alerts\n**Channel:** <#${channel}>\n**Role:** <@&${role}>\n**Alerts for:** Pending, Paid\n**Refunds:** a reply to the alert, without mentioning the role\n**Orders waiting to be posted:** 0\n**Orders being followed:** 0\n`,
    );
    expect(status).toContain("**Last problem:** none");
    expect(await told(act("alerts test"))).toContain(`✅ Sample alert posted in <#${channel}>.`);

    const sample = await discord.waitFor(
      () => discord.messages(channel).find((message) => textOf(message).includes("This is a sample")),
      "the sample",
    );
    expect(sample.mention_roles).toEqual([role]);
    expect(await told(act("alerts off"))).toContain("✅ Alerts are off. New orders are no longer announced");
    expect(await told(act("alerts status"))).toContain("Alerts are off in this server");
  });

  test("the buttons of an alert open the order for the one who pressed", async () => {
    const { discord, guild, store } = world;
    const channel = guild.channel("new-orders");
    await setAlerts(world);
    const one = store.placeOrder();
    const ring = await alertOf(world, one.id);
    expect(textOf(ring)).not.toContain(one.customer.email);

    const opened = discord.press(guild.person("staff"), ring, "Open");
    expect(await told(opened)).toContain(`### 🟡 Order · Pending\nID: \`${one.id}\``);
    expect(await told(discord.press(guild.person("staff"), ring, "Open"))).toContain(one.customer.email);

    const [first, second] = store.placeOrders(8);
    const rings = await alertOf(world, first?.id ?? "");
    expect(textOf(rings)).toContain("🔔 8 new orders · ");

    const picked = discord.press(guild.person("staff"), rings, "order:pick", { values: [second?.id ?? ""] });
    expect(await told(picked)).toContain(`ID: \`${second?.id}\``);
    expect(textOf(rings)).toBe(textOf(discord.messages(channel).find(({ id }) => id === rings.id) ?? rings));

    await told(act("alerts off"));
  });
});

describe("settings", () => {
  test("/store settings changes how money, customers and channel messages are shown", async () => {
    const { discord, guild, store } = world;
    const staff = guild.role("Staff");
    const text = await told(act("store settings", { currency: "brl", language: "es", privacy: "masked", staff }));
    expect(text).toBe(
      [
        "### ✅ Settings",
        "**Currency:** BRL",
        "**Language of channel messages:** Español",
        "**Time zone:** UTC",
        "**Customers in channels:** partly hidden",
        `**Staff role:** <@&${staff}>`,
      ].join("\n"),
    );
    expect(await told(act("store settings"))).toBe(text);

    const question = await act("alerts set", { channel: guild.channel("staff") }).settled();
    expect(textOf(question)).toBe(
      `⚠️ Everyone in this server may be able to read <#${guild.channel("staff")}>. Alerts show items and amounts, and as much of customers as your privacy setting allows. Continue?\nConfirm\nCancel`,
    );
    expect(textOf(await discord.press(person(), question, "Confirm").settled())).toContain("✅ Order alerts come to");

    const order = store.placeOrder({
      customer: { email: "carla@example.com", name: "Carla Nuñez" },
      pricing: { subtotal: 1234.5, discount: 0, total: 1234.5 },
    });
    const ring = await alertOf(world, order.id, undefined, "staff");
    expect(textOf(ring)).toContain("Pedido nuevo");
    expect(textOf(ring)).toContain("🟡 1234,50\u00a0R$");
    expect(textOf(ring)).toContain("Cliente\nc•••@example.com");
    expect(textOf(ring)).not.toContain("carla@");
    expect(await told(act("order", { id: order.id }))).toContain("**Total: R$1,234.50**");

    expect(await told(act("store settings", { currency: "none", privacy: "full", language: "en" }))).toContain(
      "**Currency:** not set (plain numbers)\n**Language of channel messages:** English\n**Time zone:** UTC\n**Customers in channels:** in full",
    );

    const full = store.placeOrder({ customer: { email: "daniel@example.com", name: "Daniel Weiß" } });
    const next = await alertOf(world, full.id, undefined, "staff");
    expect(textOf(next)).toContain("Customer\nDaniel Weiß · daniel@example.com");

    await told(act("store settings", { privacy: "none" }));
    await told(act("alerts off"));
  });

  test("what is no currency is refused and changes nothing", async () => {
    expect(await told(act("store settings", { currency: "ZZZZ", privacy: "full" }))).toMatch(
      /^⚠️ That is not a currency\. Nothing was changed\. Use a code of three letters, such as `USD`, `BRL` or `EUR`\.\n/,
    );
    expect(await told(act("store settings"))).toContain("**Customers in channels:** not shown");
  });

  test("the currency is suggested by code and by name", async () => {
    const choices = () => suggested(world, "store settings", "currency", { currency: "brazil" }, name());
    await expect.poll(choices).toContainEqual({ name: "BRL · Brazilian Real", value: "BRL" });
    const named = (currency: string) => told(act("store settings", { currency }));
    expect(await named("BRL · Brazilian Real"), "was: no currency").toContain("**Currency:** BRL");
    expect(await named("not set (plain numbers)")).toContain("**Currency:** not set");
  });
});

// `unit/views/formats.test.ts` has the language of each locale.
describe("languages", () => {
  test.each<[string, string, Record<string, string>, string[]]>([
    ["pt-BR", "orders", { status: "PAID" }, ["### Pedidos · Página 1 de 1", "Anterior", "Próxima", "Abrir um pedido"]],
    ["es-419", "orders", { status: "PAID" }, ["### Pedidos · Página 1 de 1", "Siguiente", "Abrir un pedido"]],
    ["de", "orders", { status: "PAID" }, ["### Orders · Page 1 of 1", "Next", "Open an order"]],
    ["pt-BR", "order", { id: "42" }, ["⚠️ Isso não é um ID de pedido,", "-# Referência: `"]],
    ["pt-BR", "stats", { period: "week" }, ["**Pedidos:**", "7 dias anteriores"]],
    ["es-419", "export orders", {}, ["Pedidos en el archivo", "-# Las horas están en UTC"]],
  ])("somebody whose Discord is in %s is answered in that language by /%s", async (locale, command, given, texts) => {
    const text = await told(run(world, command, given, name(), { locale }));
    for (const expected of texts) expect(text).toContain(expected);
  });
});
