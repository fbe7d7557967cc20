import { describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, told } from "../support/checks.ts";
import { useBot } from "../support/scene.ts";
import { connectStore, run, setAlerts, type World, withManagers } from "../support/world.ts";

const world = useBot({ isConnected: false });

const newServer = (): World => ({
  ...world,
  guild: world.discord.addGuild({ channels: ["new-orders", "staff", "deliveries"] }),
});

const logOf = (there: World) => run(there, "store log").settled();
/** One line for each entry, without times. */
const entriesIn = (message: ApiMessage) =>
  [...textOf(message).matchAll(/^<t:\d+:f> · (.+)$/gm)].map(([, entry = ""]) => entry);
const entries = async (there: World) => entriesIn(await logOf(there));
const press = (there: World, message: ApiMessage, label: string, by = "owner") =>
  there.discord.press(there.guild.person(by), message, label);

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
