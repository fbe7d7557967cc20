import { PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, describe, expect, test } from "vitest";
import { commands } from "../../commands/index.ts";
import { executablesOf } from "../../src/discord/commands/define-command.ts";
import type { ApiMessage, Attachment, GuildModel, Interaction } from "../sandbox/discord/discord.ts";
import { customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { plant, plantedButton, plantedMenu, sentenceOf, told } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { connectStore, run, suggested, type World, withManagers } from "../support/process/world.ts";

/** A reference would only worry people who press out of curiosity. `/store` is for managers alone. */
const refusalOf = (what: string) =>
  `⚠️ Only members with the Manage Server permission${what.startsWith("store") ? "" : " or the staff role"} can use this.`;

const world = useBot({}, ({ discord, store }) => {
  store.placeOrders(25, () => ({ customer: { name: "Ana Souza", email: "ana@example.com" } }));
  store.seedProducts(25);
  options["import-products"] = { file: discord.upload("products.csv", Buffer.from("title"), "text/csv") };
});
let requests: number;

const uuid = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const options: Record<string, Record<string, string | number | boolean | Attachment>> = {
  order: { id: uuid },
  customer: { email: "ana@example.com" },
  "add-product": { title: "Key", price: "1", category: uuid, chat: true },
  stats: { period: "week" },
  "digest set": { every: "day", hour: 9 },
  "alerts route add": { name: "Keys" },
  "alerts route move": { name: "Keys", position: 1 },
  "alerts route remove": { name: "Keys" },
  "alerts route test": { order: uuid },
};

/** By name and subcommand. */
const slashCommands = commands.flatMap((command) =>
  [...executablesOf(command).keys()].map((typed) => `${command.name} ${typed}`.trimEnd()),
);
const actionsOf = (kind: "buttons" | "menus" | "windows") =>
  commands.flatMap(({ name, handlers }) => Object.keys(handlers?.[kind] ?? {}).map((action) => `${name}:${action}`));
const [buttons, menus, modals] = [actionsOf("buttons"), actionsOf("menus"), actionsOf("windows")];

/** Runs the command although the person's Discord would not allow it. */
function force(guild: GuildModel, by: string, name: string) {
  const needsChannel = /^(alerts|digest) set$|^alerts route add$/.test(name);
  const channel: Record<string, string> = needsChannel ? { channel: guild.channel("new-orders") } : {};
  return run({ ...world, guild }, name, { ...options[name], ...channel }, by, { force: true });
}

/** Each custom id as a button, or as a menu with one entry. */
async function plantAll(there: World, ids: readonly string[], isMenu = (_: string) => false) {
  const planted: [string, ApiMessage][] = [];
  // A message takes 40 components, including rows.
  for (let from = 0; from < ids.length; from += 19) {
    const some = ids.slice(from, from + 19);
    const rows = some.map((id) => [isMenu(id) ? plantedMenu(id, uuid) : plantedButton(id)]);
    const message = await plant(there, ...rows);
    planted.push(...some.map((id): [string, ApiMessage] => [id, message]));
  }
  return planted;
}

beforeEach(() => {
  requests = world.store.requests.length;
});

const expectNothingRead = () => expect(world.store.requests).toHaveLength(requests);

async function expectRefused(interaction: Interaction, what: string) {
  expect(await told(interaction), what).toBe(refusalOf(what));
}

describe("a member without the permission", () => {
  test("is refused in private on every slash command, and nothing is read", async () => {
    for (const name of slashCommands) await expectRefused(force(world.guild, "member", name), name);
    expectNothingRead();
  });

  test("is refused in private on every button and menu, and nothing is read", async () => {
    // One person alone would go too fast.
    const people = [...buttons, ...menus].map((_, index) => ({ name: `member${index}` }));
    const guild = world.discord.addGuild({ people: [{ name: "owner" }, ...people] });
    expect(people.length).toBeGreaterThan(10);
    const idOf = (name: string) => `${name}:x:1`;
    const there = { ...world, guild };
    const planted = [
      ...(await plantAll(there, buttons.map(idOf))),
      ...(await plantAll(there, menus.map(idOf), () => true)),
    ];

    for (const [index, [id, message]] of planted.entries()) {
      const chosen = index < buttons.length ? {} : { values: ["Entry"] };
      await expectRefused(world.discord.press(guild.person(`member${index}`), message, id, chosen), id);
    }
    expectNothingRead();
  });

  test("is refused in private on every modal that was opened while it was allowed", async () => {
    const { discord, guild } = world;
    const staff = guild.person("staff");
    const members = guild.members.find(({ user }) => user.id === staff);
    await run(world, "store settings", { privacy: "masked" }).settled();
    const list = async (name: string) => run(world, name, options[name], "staff").settled();
    const product = run(world, "add-product", options["add-product"], "staff");
    await product.answer();
    const preview = await discord.submit(staff, product, { stock: "KEY-1" }).settled();
    const openers: Record<string, Interaction> = {
      "add-product:submit": run(world, "add-product", options["add-product"], "staff"),
      "add-product:edit": discord.press(staff, preview, "Edit"),
      "add-product:messages": discord.press(staff, preview, "Messages"),
      "add-product:basics": discord.press(staff, preview, "Title and price"),
      "add-product:media": discord.press(staff, preview, "Pictures and video"),
      "add-product:options": discord.press(staff, preview, "Options"),
      "store:token": run(world, "store connect", {}, "staff"),
      "orders:jump": discord.press(staff, await list("orders"), "Page 1 of 3"),
      "products:jump": discord.press(staff, await list("products"), "Page 1 of 3"),
      "customer:jump": discord.press(staff, await list("customer"), "Page 1 of 3"),
    };
    const filled: Record<string, Record<string, string>> = {
      "store:token": { token: world.store.token },
      "orders:jump": { page: "2" },
      "products:jump": { page: "2" },
      "customer:jump": { page: "2" },
    };
    expect(Object.keys(openers).sort()).toEqual([...modals].sort());

    await Promise.all(Object.values(openers).map((opener) => opener.answer()));

    const roles = members?.roles.splice(0) ?? [];
    requests = world.store.requests.length;
    for (const [name, opener] of Object.entries(openers)) {
      await expectRefused(discord.submit(staff, opener, filled[name] ?? {}), name);
    }
    expectNothingRead();

    members?.roles.push(...roles);
  });

  test("is shown no suggestions", async () => {
    expect(await suggested(world, "order", "id", {}, "member", true)).toEqual([]);
    expectNothingRead();
  });
});

// `unit/access.test.ts` has every kind of entry of the settings.
describe("the commands are there for", () => {
  test("everybody with Manage Server", async () => {
    expect(await told(run(world, "orders", {}, "staff"))).toContain("### Orders · Page 1 of 3");
  });

  test("a staff role that /store settings allows, until it is taken back", async () => {
    const guild = world.discord.addGuild();
    const there: World = { ...world, guild };
    await connectStore(there);
    await expectRefused(force(guild, "helper", "orders"), "before");

    await run(there, "store settings", { staff: guild.role("Helpers") }).settled();

    const list = await force(guild, "helper", "orders").settled();
    expect(textOf(list)).toContain("### Orders · Page 1 of 3");

    const next = await world.discord.press(guild.person("helper"), list, "Next").settled();
    expect(textOf(next)).toContain("### Orders · Page 2 of 3");
    await expectRefused(force(guild, "member", "orders"), "another member");

    await run(there, "store settings", { staff: guild.id }).settled();
    await expectRefused(world.discord.press(guild.person("helper"), next, "Next"), "after");
  });

  test("those whom the server's integration settings allow: that command with its buttons, and no other", async () => {
    const { discord, guild } = world;
    const member = guild.person("member");
    const command = discord.commands().find(({ name }) => name === "orders")?.id ?? "";
    await expectRefused(force(guild, "member", "orders"), "before");

    discord.setCommandPermissions(guild.id, command, [{ id: member, type: 2, permission: true }]);

    const list = await run(world, "orders", {}, "member").settled();
    expect(textOf(list)).toContain("### Orders · Page 1 of 3");

    const next = await discord.press(member, list, "Next").settled();
    expect(textOf(next)).toContain("### Orders · Page 2 of 3");

    const opener = discord.press(member, next, "Page 2 of 3");
    await opener.answer();
    expect(textOf(await discord.submit(member, opener, { page: "3" }).settled())).toContain("Page 3 of 3");
    await expectRefused(force(guild, "member", "products"), "another command");

    discord.setCommandPermissions(guild.id, command, []);
    await expectRefused(discord.press(member, next, "Previous"), "after");
  });
});

test("only the person who ran a command can press what it answered, and a press of somebody else reads nothing", async () => {
  const { discord } = world;
  const there = withManagers(world, 60);
  const { guild } = there;
  let people = 0;
  const somebody = () => guild.person(next());
  await connectStore(there);
  await run(there, "store settings", { privacy: "masked" }).settled();
  const file = discord.upload("products.csv", Buffer.from(`title,price,categoryId\nKey,1,${uuid}`), "text/csv");
  const next = () => `manager${people++}`;
  const type = (name: string, given = options[name], by = next()) => run(there, name, given, by);
  async function typeInWindow(name: string, filled: Record<string, string>) {
    const by = next();
    const opener = type(name, options[name], by);
    await opener.answer();
    return discord.submit(guild.person(by), opener, filled).settled();
  }
  const reader = next();
  const products = await type("products", {}, reader).settled();
  const listed = /"value":"([0-9a-f-]{36})"/.exec(JSON.stringify(products.components))?.[1] ?? "";
  const answers = [
    products,
    await type("orders", { status: "PENDING" }).settled(),
    await type("customer").settled(),
    await discord.press(guild.person(reader), products, "Open a product", { values: [listed] }).settled(),
    await type("import-products", { file }).settled(),
    await type("alerts set", { channel: guild.channel("new-orders") }).settled(),
    await type("store disconnect").settled(),
    await typeInWindow("store connect", { token: world.store.token }),
    await typeInWindow("add-product", { stock: "KEY-1" }),
  ];
  // A window opens for anybody. The bot refuses what is typed into it.
  const ids = [...new Set(answers.flatMap(customIdsOf))].filter((id) => !id.includes(":jump:"));
  expect(new Set(ids.map((id) => id.split(":", 1)[0]))).toEqual(
    new Set(["orders", "products", "customer", "add-product", "import-products", "alerts", "store"]),
  );
  requests = world.store.requests.length;
  const isMenu = (id: string) => /:(open|channel|role|rings|language|currency|timezone):/.test(id);
  for (const [id, message] of await plantAll(there, ids, isMenu)) {
    const pressed = discord.press(somebody(), message, id, isMenu(id) ? { values: ["Entry"] } : {});
    expect(await sentenceOf(pressed, world), id).toBe(
      "Only the person who ran the command can use this. Run the command yourself to get your own.",
    );
  }
  expectNothingRead();
});

test("a server only ever sees its own store", async () => {
  const { discord, store } = world;
  const other = discord.addGuild({ people: [{ name: "owner", id: world.guild.person("owner") }] });
  const there: World = { ...world, guild: other };
  const [token, otherToken] = [store.token, "the-other-servers-token"];
  expect(textOf(await run(there, "orders").settled())).toContain("No store is connected to this server yet.");
  expectNothingRead();

  store.allowToken(otherToken);
  await connectStore(there, otherToken);
  const usedBy = async (interaction: Interaction) => {
    const before = store.requests.length;
    await interaction.settled();
    expect(store.requests.length).toBeGreaterThan(before);
    return [...new Set(store.requests.slice(before).map(({ authorization }) => authorization))];
  };
  for (const name of ["orders", "products", "store status"]) {
    expect(await usedBy(run(world, name)), name).toEqual([`Bearer ${token}`]);
    expect(await usedBy(run(there, name)), name).toEqual([`Bearer ${otherToken}`]);
  }

  const choices = await suggested(there, "order", "id");
  expect(choices.length).toBeGreaterThan(0);
  expect(store.requests.at(-1)?.authorization).toBe(`Bearer ${otherToken}`);

  const list = await run(world, "orders").settled();
  const forged = await plant(there, customIdsOf(list).slice(1).map(plantedButton));
  const pressed = discord.press(other.person("owner"), forged, customIdsOf(list).at(-1) ?? "");
  expect(await sentenceOf(pressed, world)).toBe("This has expired. Run the command again to start over.");
});

test("the commands ask for Manage Server and are for servers only", () => {
  for (const command of world.discord.commands()) {
    expect(command.default_member_permissions).toBe(String(PermissionFlagsBits.ManageGuild));
    expect(command.contexts).toEqual([0]);
  }
});
