import { expect, test } from "vitest";
import { type ApiMessage, buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import type { StoredProduct } from "../sandbox/store/shapes.ts";
import { importResult } from "../support/imports.ts";
import { connectStore, createWorld, run, type World } from "../support/world.ts";

const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const titles = ["One", "Two", "Three"];
const csv = ["title,price,categoryId", ...titles.map((title) => `${title},1,${category}`)].join("\n");

const send = (world: World) =>
  run(world, "import-products", {
    file: world.discord.upload("products.csv", Buffer.from(csv), "text/csv"),
  }).settled();

async function created(world: World, message: ApiMessage): Promise<ApiMessage> {
  const create = buttonsOf(message).find(({ label = "" }) => label.startsWith("Create"));
  return importResult(world, world.discord.press(world.guild.person("owner"), message, create?.customId ?? ""));
}

const titlesIn = ({ store }: World) => store.products.map(({ info }) => info.title);

test("another store gets the rows of a file that the one before has; the same one with a new token does not", async () => {
  await using world = await createWorld();
  const { store } = world;
  await world.start();
  await connectStore(world);
  // The store gives out in the middle: the rows of one file are of two tokens.
  const undo = store.fail({
    method: "POST",
    path: /catalog\/product$/,
    status: 401,
    when: () => store.products.length === 2,
  });
  const stopped = await created(world, await send(world));
  undo();
  expect(textOf(stopped)).toContain("Products created: **2**");

  store.rotateToken("renewed-in-the-panel");
  await connectStore(world);
  expect(textOf(await created(world, stopped))).toContain("Products created: **1**");
  store.rotateToken("renewed-once-more");
  await connectStore(world);
  // Somebody renamed the last of them; the others tell that it is the same store.
  const [last] = store.products.slice(-1);
  if (last) last.info.title = "Renamed";
  expect(textOf(await send(world))).toContain("There is nothing left to create.");

  const former = (store.products as StoredProduct[]).splice(0);
  store.rotateToken("another-store");
  await connectStore(world);
  const preview = await send(world);
  expect(textOf(preview)).not.toContain("left out");
  expect(textOf(await created(world, preview))).toBe("✅ Products created: **3**");
  expect(titlesIn(world)).toEqual(titles);
  expect(former).toHaveLength(3);
  expect(textOf(await send(world))).toContain("There is nothing left to create.");
});
