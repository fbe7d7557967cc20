import { PermissionFlagsBits } from "@discordjs/core";
import { beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { sentenceOf } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { connectStore, run, setAlerts, suggested, type World } from "../support/process/world.ts";

type Options = Record<string, string | number | boolean>;

const plain = useBot({ isConnected: false }, ({ store }) => {
  const info = { title: "Hat", description: "", images: [], slug: "hat" };
  hatId = store.addProduct({ categoryId: categories[1].id, info }).id;
  store.seedProducts(3);
  orderId = store.placeOrder({
    status: "PAID",
    paymentMethod: "CREDIT_CARD",
    items: [{ productId: hatId, productTitle: "Hat", quantity: 2, price: 617.28 }],
    pricing: { subtotal: 1_234.56, discount: 0, total: 1_234.56 },
  }).id;
});
let world: World;
/** Two hats, paid by card. */
let orderId: string;
let hatId: string;

/** Another manager runs each command, because one person alone would go too fast. */
const managers = Array.from({ length: 12 }, (_, index) => `manager${index}`);
let turn = 0;
const another = () => managers[turn++ % managers.length] ?? "owner";

/** With a store and alerts in #new-orders, which everybody reads. */
async function newServer(): Promise<World> {
  const guild = plain.discord.addGuild({
    channels: ["new-orders", "staff", "keys", "wins"],
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }, { name: "Packers" }],
    people: [{ name: "owner" }, { name: "member" }, ...managers.map((name) => ({ name, roles: ["Staff"] }))],
  });
  const there = { ...plain, guild };
  await connectStore(there);
  return there;
}

const route = (sub: string, options: Options = {}, by = another(), there = world) =>
  run(there, `alerts route ${sub}`, options, by);
const add = (options: Options = {}, there = world) =>
  route("add", { name: "Keys", channel: there.guild.channel("keys"), ...options }, another(), there);
const text = async (...asked: Parameters<typeof route>) => textOf(await route(...asked).settled());
const refusal = (...asked: Parameters<typeof route>) => sentenceOf(route(...asked), plain);

const namesIn = (list: string) => [...list.matchAll(/^\d+\\\. \*\*(\w+)\*\*/gm)].map(([, name]) => name);

/** Waits for all suggestions. The bot searches for 20 ms at most, so on a busy machine it may find fewer. */
const offered = (sub: string, option: string, typed = "", more: Options = {}) =>
  expect.poll(() => suggested(world, `alerts route ${sub}`, option, { ...more, [option]: typed }, another()));
const valued = (value: string) => [expect.objectContaining({ value })];

beforeAll(async () => {
  world = await newServer();
  await setAlerts(world);
});

describe("/alerts route", () => {
  test("adds rules, lists them in their order, moves, tries and removes them", async () => {
    const { guild } = world;
    const [keys, wins, usual] = ["keys", "wins", "new-orders"].map((name) => `<#${guild.channel(name)}>`);
    expect(await text("list")).toContain(`There are no rules: every alert goes to ${usual}.`);

    const conditions = { status: "Paid", product: hatId, category: categories[1].id, method: "Credit card" };
    const limits = { from: "1,000", to: "1.234,56", items: 2 };
    const role = guild.role("Packers");
    const added = textOf(await add({ role, ...conditions, ...limits }).settled());
    expect(added).toMatch(/^✅ Rule \*\*Keys\*\* created\. It applies from now on\.\n/);
    expect(added).toContain(`**Keys** · ${keys} · <@&${role}> · alert`);
    expect(added).toContain("-# orders that become Paid · with Hat · in the category of Hat");
    expect(added).toContain("· paid with “CREDIT_CARD” · 1,000 or more · 1,234.56 or less · pieces: 2 or more");
    const feed = { name: "Wins", channel: guild.channel("wins"), style: "feed", amount: true };
    expect(await text("add", feed)).toContain(`**Wins** · ${wins} · public line\n-# new orders · with the total`);

    const list = await text("list");
    expect(namesIn(list)).toEqual(["Keys", "Wins"]);
    expect(list).toContain("-# orders that become Paid · with Hat · in the category of Hat");
    expect(list).toContain(`All other alerts go to ${usual}.`);

    const fitting = await text("test", { order: orderId });
    expect(fitting).toContain(
      `Order \`${orderId}\`, if it arrived now with the status Paid\n1\\. ✅ **Keys** · matches\n`,
    );
    expect(fitting).toContain(`The alert goes to ${keys}, by the rule **Keys**.\nPublic lines: none.`);
    // Public lines without a status are about orders that are announced.
    expect(await text("test", { order: plain.store.placeOrder().id })).toContain(`Public lines: ${wins}.`);

    expect(await text("move", { name: "wins", position: 1 })).toContain("Rule **Wins** is now number 1 of 2.");
    expect(namesIn(await text("list"))).toEqual(["Wins", "Keys"]);
    expect(await text("remove", { name: "KEYS" })).toContain("Rule **Keys** deleted.");
    expect(await text("test", { order: orderId })).toContain(`The alert goes to ${usual}: no alert rule matches.`);

    const log = textOf(await run(world, "store log", {}, another()).settled());
    for (const line of ["deleted the rule **Keys**", "moved the rule **Wins**", "added the rule **Keys**"])
      expect(log).toContain(line);
    await text("remove", { name: "Wins" });
    expect(namesIn(await text("list"))).toEqual([]);
  });

  test("refuses what is no rule, and changes nothing", async () => {
    await add({ name: "First" }).settled();
    const before = await text("list");
    for (const [options, sentence] of [
      [{ name: " ＦＩＲＳＴ " }, /^There is already a rule with that name\. Nothing was changed\./],
      [{ name: "\u200b" }, /^A rule needs a name of 1 to 40 visible characters\./],
      [{ status: "PAID,PENDING" }, /^A rule takes one status\./],
      [{ status: " , " }, /^A rule takes one status\./],
      [{ product: "nothing like it" }, /^The store has no product with that title\./],
      [{ category: "Games" }, /^That is not a category\./],
      [{ from: "many" }, /^That is not an amount\./],
      [{ to: "-1" }, /^That is not an amount\./],
      [{ from: "2", to: "1" }, /^The smallest total is more than the largest\./],
    ] as const) {
      expect(await sentenceOf(add({ name: "Other", ...options }), plain), JSON.stringify(options)).toMatch(sentence);
    }
    for (const sub of ["remove", "move"] as const) {
      const options = { name: "Nobody", ...(sub === "move" ? { position: 1 } : {}) };
      expect(await refusal(sub, options)).toMatch(/^There is no rule with that name\./);
    }
    expect(await refusal("test", { order: "17" })).toMatch(/^That is not an order ID,/);
    expect(await refusal("test", { order: hatId })).toMatch(/^The store has nothing with that ID\./);
    expect(await text("list")).toBe(before);
    await text("remove", { name: "First" });
  });

  test("suggests rules, statuses, products, categories, payment methods and orders", async () => {
    await add({ name: "Keys" }).settled();
    const asked = { name: "x", channel: world.guild.channel("keys") };
    await offered("remove", "name", "ke").toEqual([{ name: "Keys", value: "Keys" }]);
    await offered("move", "name", "nothing").toEqual([]);
    await offered("add", "status", "pai", asked).toEqual(valued("PAID"));
    await offered("add", "product", "ha", asked).toContainEqual({ name: "Hat", value: hatId });
    await offered("add", "category", "hat", asked).toEqual(valued(categories[1].id));
    const card = { name: "Credit card (CREDIT_CARD)", value: "CREDIT_CARD" };
    await offered("add", "method", "card", asked).toEqual([card]);
    await offered("test", "order", "hat").toEqual(valued(orderId));
    await text("remove", { name: "Keys" });
  });

  test("waits for alerts: without them rules do nothing, and there is no store to ask without one", async () => {
    const there = await newServer();
    expect(await sentenceOf(add({}, there), plain)).toMatch(/^Alerts are off in this server/);
    expect(await refusal("test", { order: orderId }, another(), there)).toMatch(/^Alerts are off in this server/);
    expect(await text("list", {}, another(), there)).toContain("There are no rules, and alerts are off.");
    await setAlerts(there);
    await add({}, there).settled();
    await run(there, "alerts off").settled();
    expect(await text("list", {}, another(), there)).toContain("Alerts are off, so these rules do nothing.");
    expect(await text("remove", { name: "Keys" }, another(), there)).toContain("Rule **Keys** deleted.");

    const bare = { ...plain, guild: plain.discord.addGuild() };
    const unconnected = run(bare, "alerts route remove", { name: "Keys" });
    expect(await sentenceOf(unconnected, plain)).toMatch(/^No store is connected/);
  });
});

test("/alerts remind shows what is set, and refuses values that it cannot read", async () => {
  const there = await newServer();
  await setAlerts(there);
  const remind = (options: Options = {}) => run(there, "alerts remind", options, another());
  const shown = async (options: Options = {}) => textOf(await remind(options).settled());
  expect(await shown()).toContain("Reminders are off");
  await run(there, "store settings", { timezone: "Europe/Lisbon" }).settled();
  expect(await shown({ after: "30m", quiet: "22-8" })).toContain("No reminders from 22:00 to 08:00 (Europe/Lisbon).");
  expect(await shown({ after: "2 horas", quiet: "22-8", timezone: "America/Sao_Paulo" })).toMatch(
    /2 hours after its alert.*\nNo reminders from 22:00 to 08:00 \(America\/Sao_Paulo\)\./,
  );
  expect(await shown({ after: "30m" })).toMatch(/30 minutes after.*\nNo reminders from 22:00/);
  for (const [option, typed] of Object.entries({ after: "soon", quiet: "25-3", timezone: "Mars" })) {
    expect(await sentenceOf(remind({ [option]: typed }), plain)).toContain("Nothing was changed");
  }
  expect(await shown({ after: "7d" })).toContain("7 days after");
  expect(await shown({ quiet: "off" })).not.toContain("No reminders");
  expect(await shown({ after: "off" })).toContain("Reminders are off");
  expect(textOf(await run(there, "store log").settled())).toContain("Reminders: **120 min**");
});
