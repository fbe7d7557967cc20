import { PermissionFlagsBits } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, told } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { connectStore, run, setAlerts, type World, withManagers } from "../support/process/world.ts";

const world = useBot({ isConnected: false });

const press = (there: World, message: ApiMessage, label: string, by = "owner") =>
  there.discord.press(there.guild.person(by), message, label);

const newServer = (): World => ({
  ...world,
  guild: world.discord.addGuild({ channels: ["new-orders", "staff", "deliveries"] }),
});

const logOf = (there: World) => run(there, "store log").settled();
/** One line for each entry, without times. */
const entriesIn = (message: ApiMessage) =>
  [...textOf(message).matchAll(/^<t:\d+:f> · (.+)$/gm)].map(([, entry = ""]) => entry);
const entries = async (there: World) => entriesIn(await logOf(there));

async function createProduct(there: World, by: string): Promise<string> {
  const opener = run(there, "add-product", { title: "Key", price: "1", category: categories[0].id }, by);
  await opener.answer();
  const preview = await there.discord.submit(there.guild.person(by), opener, { stock: "KEY-001" }).settled();
  await press(there, preview, "Create", by).settled();
  return there.store.products.at(-1)?.id ?? "";
}

describe("/store log", () => {
  test("says who did what, the newest first", async () => {
    const there = newServer();
    const { guild } = there;
    const [owner, staff] = [`<@${guild.person("owner")}>`, `<@${guild.person("staff")}>`];
    const [orders, deliveries] = [`<#${guild.channel("new-orders")}>`, `<#${guild.channel("deliveries")}>`];
    await run(there, "store settings", { currency: "USD" }).settled();
    expect(textOf(await logOf(there)), "before a store is connected").toBe(
      "### Log\nNothing was recorded in the last 90 days.\n-# Who did what in the last 90 days, newest first. `/store disconnect` deletes this log too.",
    );

    await connectStore(there);
    await run(there, "store settings", { currency: "BRL", staff: guild.role("Helpers") }, "staff").settled();
    await run(there, "store settings", { currency: "BRL" }).settled();
    await run(there, "store settings", {}).settled();
    await setAlerts(there);
    await setAlerts(there);
    await setAlerts(there, { role: guild.role("Staff") });
    await press(
      there,
      await run(there, "alerts set", { channel: guild.channel("deliveries") }).settled(),
      "No role",
    ).settled();
    await run(there, "alerts off", {}, "staff").settled();
    const product = await createProduct(there, "staff");
    await run(there, "store settings", {
      privacy: "masked",
      language: "es",
      currency: "none",
      staff: guild.id,
    }).settled();

    const log = await logOf(there);
    expect(entriesIn(log).reverse()).toEqual([
      `${owner} · connected the store`,
      `${staff} · Currency: **BRL**`,
      `${staff} · Staff role: **<@&${guild.role("Helpers")}>**`,
      `${owner} · turned alerts on in ${orders}`,
      `${owner} · changed the alerts in ${orders}`,
      `${owner} · moved alerts to ${deliveries}`,
      `${owner} · changed the alerts in ${deliveries}`,
      `${staff} · turned alerts off`,
      `${staff} · created the product \`${product}\``,
      `${owner} · Currency: **not set (plain numbers)**`,
      `${owner} · Language of channel messages: **Español**`,
      `${owner} · Customers in channels: **partly hidden**`,
      `${owner} · Staff role: **none**`,
    ]);
    expect({ mentions: log.mentions, roles: log.mention_roles }).toEqual({ mentions: [], roles: [] });
    expect(buttonsOf(log)).toEqual([]);
  });

  test("has what the set-up's menus and its sample change", async () => {
    const there = newServer();
    const { discord, guild, store } = there;
    const opener = run(there, "store connect");
    await opener.answer();
    const panel = await discord.submit(guild.person("owner"), opener, { token: store.token }).settled();
    const choose = (menu: string, value: string) => {
      const id = customIdsOf(panel).find((one) => one.startsWith(`store:${menu}:`)) ?? "";
      return discord.press(guild.person("owner"), panel, id, { values: [value] }).settled();
    };
    await choose("language", "es");
    await choose("currency", "BRL");
    await choose("currency", "BRL");
    await choose("channel", guild.channel("deliveries"));
    await press(there, panel, "Send a sample").settled();

    const owner = `<@${guild.person("owner")}>`;
    expect((await entries(there)).reverse()).toEqual([
      `${owner} · connected the store`,
      `${owner} · Language of channel messages: **Español**`,
      `${owner} · Currency: **BRL**`,
      `${owner} · turned alerts on in <#${guild.channel("deliveries")}>`,
    ]);
  });

  test("has pages", async () => {
    const there = withManagers(world, 3);
    await connectStore(there);
    for (const [nth, currency] of Intl.supportedValuesOf("currency").slice(0, 16).entries()) {
      await run(there, "store settings", { currency }, `manager${nth % 3}`).settled();
    }
    const disabled = (message: ApiMessage) =>
      buttonsOf(message).map(({ label, disabled = false }) => [label, disabled]);
    const first = await logOf(there);
    expect(entriesIn(first)).toHaveLength(15);
    expect(disabled(first)).toEqual([
      ["Previous", true],
      ["Next", false],
    ]);
    const second = await press(there, first, "Next").settled();
    expect(entriesIn(second)).toEqual([expect.any(String), expect.stringContaining("connected the store")]);
    expect(disabled(second)).toEqual([
      ["Previous", false],
      ["Next", true],
    ]);
    expect(entriesIn(await press(there, second, "Previous").settled())).toHaveLength(15);

    const forged = async (page: string) => {
      const message = await plant(there, [plantedButton(`store:log:${page}`)]);
      return entriesIn(await press(there, message, "Press").settled());
    };
    expect(await forged("999999999")).toEqual(entriesIn(second));
    for (const page of ["-1", "x", ""]) expect(await forged(page), page).toHaveLength(15);
  });

  test("is for managers alone: neither a member nor the staff role sees it, pressed or typed", async () => {
    const there = newServer();
    const { discord, guild } = there;
    await connectStore(there);
    await run(there, "store settings", { staff: guild.role("Helpers") }).settled();
    const planted = await plant(there, [plantedButton("store:log:1")]);
    for (const by of ["helper", "member"]) {
      const typed = run(there, "store log", {}, by, { force: true });
      for (const interaction of [typed, discord.press(guild.person(by), planted, "Press")]) {
        expect(await told(interaction), by).toMatch(/^⚠️ Only members with the Manage Server permission/);
      }
    }
  });
});

/** `staff` may use the bot by the staff role, `member` may not, `owner` is a manager. */
async function newTeam(staff: readonly string[], role = "Staff"): Promise<World> {
  const guild = world.discord.addGuild({
    channels: ["new-orders", "staff"],
    roles: [{ name: "Managers", permissions: PermissionFlagsBits.ManageGuild }, { name: "Staff" }],
    people: [{ name: "owner" }, { name: "member" }, ...staff.map((name) => ({ name, roles: [role] }))],
  });
  const there = { ...world, guild };
  await connectStore(there);
  await run(there, "store settings", { staff: guild.role("Staff") }).settled();
  await setAlerts(there);
  return there;
}

const labels = (message: ApiMessage) => buttonsOf(message).map(({ label }) => label);
const mention = (there: World, name: string) => `<@${there.guild.person(name)}>`;

async function newAlert(there: World) {
  const { id } = there.store.placeOrder();
  // A copy, because the channel's own message changes.
  return { id, alert: structuredClone(await alertOf(there, id)) };
}

describe("an alert", () => {
  test("is taken, done and given back by whoever took it, and says who and since when", async () => {
    const there = await newTeam(["ana", "ben"]);
    const { id, alert } = await newAlert(there);
    expect(labels(alert)).toEqual(["Open", "Take"]);

    const [first, second] = [press(there, alert, "Take", "ana"), press(there, alert, "Take", "ben")];
    expect(await told(second)).toContain(`${mention(there, "ana")} has this order: they took it <t:`);
    const taken = structuredClone(await first.settled());
    expect(taken.content).toMatch(new RegExp(`\n🙋 Taken by ${mention(there, "ana")}, <t:\\d+:R>$`));
    expect(taken.mentions).toEqual([]);
    expect(labels(taken)).toEqual(["Open", "Done", "Give back"]);
    expect(await told(press(there, taken, "Done", "ben"))).toContain("Only they, or someone with");
    expect(await told(press(there, taken, "Give back", "ben"))).toContain("Only they, or someone with");
    expect(await told(press(there, taken, "Done", "member"))).toContain("⚠️ Only members with");

    const done = structuredClone(await press(there, taken, "Done", "ana").settled());
    expect(done.content).toContain(`✅ Done by ${mention(there, "ana")}`);
    const free = await press(there, done, "Give back", "ana").settled();
    expect(free.content).toBe(alert.content);
    const again = await press(there, free, "Take", "ben").settled();
    expect((await press(there, again, "Give back", "owner").settled()).content, "a manager may").toBe(alert.content);
    expect((await alertOf(there, id)).embeds).toEqual(alert.embeds);

    const presses = [
      ["↩️ Given back", "owner"],
      ["🙋 Taken", "ben"],
      ["↩️ Given back", "ana"],
      ["✅ Done", "ana"],
      ["🙋 Taken", "ana"],
    ].map(([what, name = ""]) => `${what} by ${mention(there, name)}`);
    const card = await press(there, again, "Open", "ben").settled();
    expect([...textOf(card).matchAll(/^-# (.+), <t:\d+:f>$/gm)].map(([, press]) => press)).toEqual(presses);
    expect(labels(card)).toContain("Take");
    const log = textOf(await run(there, "store log").settled());
    expect(log, "which no press pushes anything out of").not.toContain(id);
  });
});

test("an order of several in one alert is taken on its card, and the alert says so, also once none of it is followed", async () => {
  const there = await newTeam(["ana"]);
  const orders = there.store.placeOrders(8);
  const [first, second] = orders;
  if (!first || !second) throw new Error("no orders");
  const alert = await alertOf(there, first.id);
  const choose = (id: string) =>
    there.discord.press(there.guild.person("ana"), alert, "Open an order", { values: [id] }).settled();
  const card = await choose(first.id);
  expect(labels(card)).toContain("Take");
  const taken = await press(there, card, "Take", "ana").settled();
  expect(textOf(taken)).toContain(`🙋 Taken by ${mention(there, "ana")}`);
  const line = `🙋 \`${first.id.slice(0, 8)}\` · ${mention(there, "ana")} · <t:`;
  await alertOf(there, first.id, (text) => text.includes(line));

  for (const { id } of orders) there.store.setStatus(id, "PAID");
  await alertOf(there, first.id, (text) => text.includes("Paid") && text.includes(line));
  const other = await press(there, await choose(second.id), "Take", "ana").settled();
  await alertOf(there, first.id, (text) => text.includes(line) && text.includes(`${second.id.slice(0, 8)}\` · <@`));
  await press(there, other, "Done", "ana").settled();
  await alertOf(there, first.id, (text) => text.includes(`✅ \`${second.id.slice(0, 8)}\``));
  expect(await alertOf(there, first.id)).toMatchObject({ content: expect.stringContaining(line) });
});

test("a press on a card counts while the store does not answer, and the person is told (before: “Nothing was changed”)", async () => {
  const there = await newTeam(["ana"], "Managers");
  const { id } = await newAlert(there);
  const card = structuredClone(await run(there, "order", { id }, "ana").settled());
  const undo = there.store.fail({ path: /checkout\/order\/./, status: 500 });
  expect(await told(press(there, card, "Take", "ana"))).toContain("You already have this order: you took it <t:");
  await alertOf(there, id, (text) => text.includes(`🙋 Taken by ${mention(there, "ana")}`));

  undo();
  expect(labels(await run(there, "order", { id }, "ana").settled())).toContain("Give back");
});

test("/orders shows what is mine, free and someone's, and an order is taken from there", async () => {
  const there = await newTeam(["ana", "ben"], "Managers");
  const orders = there.store.placeOrders(4);
  for (const { id } of orders) await alertOf(there, id);
  const [first, second, third] = orders;
  if (!first || !second || !third) throw new Error("no orders");
  const take = async (id: string, by: string) =>
    press(there, await run(there, "order", { id }, by).settled(), "Take", by).settled();
  await take(first.id, "ana");
  await take(second.id, "ben");
  await alertOf(there, second.id, (text) => text.includes("🙋"));
  const shown = async (handling: string, by: string) => {
    const list = await run(there, "orders", { handling }, by).settled();
    return orders.map(({ id }) => textOf(list).includes(id.slice(0, 8)));
  };
  expect(await shown("mine", "ana")).toEqual([true, false, false, false]);
  expect(await shown("someones", "ana")).toEqual([false, true, false, false]);
  expect(await shown("free", "ana")).toEqual([false, false, true, true]);

  const free = await run(there, "orders", { handling: "free" }, "ben").settled();
  // Before, the list did not say that it leaves out other statuses.
  expect(textOf(free)).toContain("-# Status: Pending · Handling: Free\n");
  const card = await there.discord
    .press(there.guild.person("ben"), free, "Open an order", { values: [third.id] })
    .settled();
  const taken = await press(there, card, "Take", "ben").settled();
  await alertOf(there, third.id, (text) => text.includes(mention(there, "ben")));
  // Before, the press removed the button that leads back to the list.
  expect(labels(taken)).toEqual(["Done", "Give back", "Their orders", "Back"]);
  expect(textOf(await press(there, taken, "Back", "ben").settled())).toContain("Handling: Free\n");
  await press(there, await run(there, "order", { id: second.id }, "ben").settled(), "Done", "ben").settled();
  expect(await shown("mine", "ben")).toEqual([false, false, true, false]);
});
