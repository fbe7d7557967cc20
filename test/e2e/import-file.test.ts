import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { told } from "../support/checks.ts";
import { importResult } from "../support/imports.ts";
import { type Bot, connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const csv = (...lines: readonly string[]) => ["title,price,categoryId,images", ...lines].join("\n");
/** The most that a process may have in the container of `compose.yaml`. */
const memoryLimit = 256 * 1024 ** 2;
const commandsAtOnce = 40;

let world: World;
let bot: Bot;

beforeAll(async () => {
  world = await createWorld();
  bot = await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const upload = (text: string) => world.discord.upload("products.csv", Buffer.from(text), "text/csv");
const creations = () => world.store.requests.filter(({ method }) => method === "POST").length;

test("a file that is gone or another one by then creates nothing, and the one that was shown is created", async () => {
  await connectStore(world);
  const { discord, guild } = world;
  const owner = guild.person("owner");
  const text = csv(`Still There,1,${category},`);
  const file = upload(text);
  const preview = await run(world, "import-products", { file }).settled();
  const press = () => discord.press(owner, preview, "Create 1 product");
  const before = creations();

  discord.replaceUpload(file, undefined);
  expect(await told(press())).toContain(
    "could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
  );

  discord.replaceUpload(file, Buffer.from(csv(`Still There,2,${category},`)));
  expect(await told(press())).toContain("The file is no longer the one that was shown");
  expect(creations()).toBe(before);

  discord.replaceUpload(file, Buffer.from(text));
  expect(textOf(await importResult(world, press()))).toBe("✅ Products created: **1**");
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
  const { discord } = world;
  const channel = quiet.guild.channel("new-orders");
  await discord.waitFor(
    () => discord.messages(channel).find((one) => textOf(one).includes(id.slice(0, 8))),
    "the alert",
  );

  expect(answers.filter((text) => text.includes("**Preview**")).length).toBeGreaterThanOrEqual(1);
  expect(answers.filter((text) => text.includes("Other files are being read")).length).toBeGreaterThanOrEqual(30);
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${bot.pid}/status`, "utf8"))?.[1]) * 1024;
  expect(peak).toBeLessThan(memoryLimit);
});
