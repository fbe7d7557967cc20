import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import type { StoredProduct } from "../sandbox/store/shapes.ts";
import { plant, plantedButton, sentenceOf, told } from "../support/checks.ts";
import { importResult } from "../support/imports.ts";
import { useBot } from "../support/scene.ts";
import { alertOf } from "../support/shown-orders.ts";
import { connectStore, run, setAlerts, type World } from "../support/world.ts";

const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
/** The most that a process may have in the container of `compose.yaml`. */
const memoryLimit = 256 * 1024 ** 2;
const commandsAtOnce = 40;

const world = useBot({ managers: 40 });
const { act, person, press, pressed } = world;

const csv = (...lines: readonly string[]) => ["title,price,categoryId,images", ...lines].join("\n");
const upload = (text: string) => world.discord.upload("products.csv", Buffer.from(text), "text/csv");
const creations = () => world.store.requests.filter(({ method }) => method === "POST").length;

/** The card of a product, opened in the list. */
const cardOf = async (id: string) => pressed(await act("products").settled(), "Open a product", [id]);
const copyOn = (card: ApiMessage) => press(card, "Copy");

function seed(info: object = {}) {
  return world.store.addProduct({
    categoryId: category,
    info: {
      title: "Moon Key",
      description: "Opens *the* moon.",
      images: ["https://cdn.example.com/a.png", "not a link"],
      slug: "moon",
      ...info,
    },
    pricing: { price: 1234.5, comparation: 1500 },
  });
}

test("Copy opens the window with what the list shows, and Create makes another product of it", async () => {
  const { id } = seed();
  const card = await cardOf(id);
  expect(buttonsOf(card).map(({ label }) => label)).toEqual(["Copy", "Back"]);

  const opener = copyOn(card);
  const { modal } = await opener.answer();
  expect(JSON.stringify(modal)).toContain("Opens *the* moon.");
  const { discord, store } = world;
  const filled = { description: "Opens *the* moon.", stock: "KEY-AAAA" };
  const preview = await discord.submit(person(), opener, filled).settled();
  expect(textOf(preview)).toContain("### Moon Key\n**1,234.50** ~~1,500~~");
  expect(textOf(preview)).toContain("Opens \\*the\\* moon.");
  await pressed(preview, "Create");

  expect(store.products.at(-1)?.id).not.toBe(id);
  expect(store.products.at(-1)).toMatchObject({
    categoryId: category,
    info: { title: "Moon Key", description: "Opens *the* moon.", images: ["https://cdn.example.com/a.png"] },
    pricing: { price: 1234.5, comparation: 1500 },
  });
});

test("a product that is gone, or that no new product may be like, is a sentence", async () => {
  const { id } = seed();
  const gone = (customIdsOf(await cardOf(id))[0] ?? "").replace(id, crypto.randomUUID());
  const forged = await plant(world, [plantedButton(gone)]);
  expect(await sentenceOf(press(forged, gone), world)).toMatch(/^The store has nothing with that ID\./);

  const nameless = await cardOf(seed({ title: " " }).id);
  expect(await sentenceOf(copyOn(nameless), world)).toMatch(/^A product needs a title that can be read\./);
});

test("a store that is slow is no window, but a sentence in time", async () => {
  const card = await cardOf(seed().id);
  const undo = world.store.fail({ path: /catalog\/product$/, delayMs: 2_500 });
  const pressed = copyOn(card);
  expect(await sentenceOf(pressed, world)).toMatch(/^The store took too long to answer\./);
  undo();
  expect(pressed.answeredAfterMs()).toBeLessThan(2_500);
});

test("a file that is gone or another one by then creates nothing, and the one that was shown is created", async () => {
  const { discord } = world;
  const text = csv(`Still There,1,${category},`);
  const file = upload(text);
  const preview = await act("import-products", { file }).settled();
  const create = () => press(preview, "Create 1 product");
  const before = creations();

  discord.replaceUpload(file, undefined);
  expect(await told(create())).toContain(
    "could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
  );

  discord.replaceUpload(file, Buffer.from(csv(`Still There,2,${category},`)));
  expect(await told(create())).toContain("The file is no longer the one that was shown");
  expect(creations()).toBe(before);

  discord.replaceUpload(file, Buffer.from(text));
  expect(textOf(await importResult(world, create()))).toBe("✅ Products created: **1**");
});

test("40 files at once of the costliest kind leave memory for everybody else's orders", async () => {
  const shop = world.store.addShop();
  const quiet: World = { ...world, guild: world.discord.addGuild() };
  await connectStore(quiet, shop.token);
  await setAlerts(quiet);
  const link = (at: number) => `https://x.co/${at}${"^".repeat(460)}`;
  const row = `T,1,${category},${link(1)} ${link(2)}`;
  const file = upload(csv(...Array.from({ length: 1_000 }, () => row)));

  const sent = Array.from({ length: commandsAtOnce }, () => run(world, "import-products", { file }));
  const { id } = shop.placeOrder();
  const answers = await Promise.all(sent.map(async (one) => textOf(await one.settled())));
  await alertOf(quiet, id);

  expect(answers.filter((text) => text.includes("**Preview**")).length).toBeGreaterThanOrEqual(1);
  expect(answers.filter((text) => text.includes("Other files are being read")).length).toBeGreaterThanOrEqual(20);
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${world.bot.pid}/status`, "utf8"))?.[1]) * 1024;
  expect(peak).toBeLessThan(memoryLimit);
});

test("another store gets the rows of a file that the one before has; the same one with a new token does not", async () => {
  const { store } = world;
  // The owner of the other server ran so many commands that they would be slowed down.
  const there: World = { ...world, guild: world.discord.addGuild() };
  const titles = ["One", "Two", "Three"];
  const file = csv(...titles.map((title) => `${title},1,${category},`));
  const send = () => run(there, "import-products", { file: upload(file) }).settled();
  const created = async (message: ApiMessage) => {
    const create = buttonsOf(message).find(({ label = "" }) => label.startsWith("Create"));
    const press = world.discord.press(there.guild.person("owner"), message, create?.customId ?? "");
    return importResult(there, press);
  };
  (store.products as StoredProduct[]).splice(0);
  await connectStore(there);
  // The store gives out in the middle: the rows of one file are of two tokens.
  const undo = store.fail({
    method: "POST",
    path: /catalog\/product$/,
    status: 401,
    when: () => store.products.length === 2,
  });
  const stopped = await created(await send());
  undo();
  expect(textOf(stopped)).toContain("Products created: **2**");

  store.rotateToken("renewed-in-the-panel");
  await connectStore(there);
  expect(textOf(await created(stopped))).toContain("Products created: **1**");
  store.rotateToken("renewed-once-more");
  await connectStore(there);
  // Somebody renamed the last of them; the others tell that it is the same store.
  const [last] = store.products.slice(-1);
  if (last) last.info.title = "Renamed";
  expect(textOf(await send())).toContain("There is nothing left to create.");

  const gone = (store.products as StoredProduct[]).splice(0);
  store.rotateToken("another-store");
  await connectStore(there);
  const preview = await send();
  expect(textOf(preview)).not.toContain("left out");
  expect(textOf(await created(preview))).toBe("✅ Products created: **3**");
  expect(store.products.map(({ info }) => info.title)).toEqual(titles);
  expect(gone).toHaveLength(3);
  expect(textOf(await send())).toContain("There is nothing left to create.");
});
