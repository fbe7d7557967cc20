import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { categories } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, told } from "../support/process/checks.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/process/world.ts";

const keys = ["SERIAL-QK4T-77ZP-0001", "SERIAL-QK4T-77ZP-0002"];

/** The stock is typed or uploaded, seen in a preview, refused by a store that repeats it, and created at last. */
async function addProduct(world: World, fields: Record<string, unknown>) {
  const { discord, guild, store } = world;
  const owner = guild.person("owner");
  const opener = run(world, "add-product", { title: "Pixel Farm", price: "5", category: categories[0].id });
  await opener.answer();
  const preview = await discord
    .submit(owner, opener, { description: "x", ...fields } as Parameters<typeof discord.submit>[2])
    .settled();
  const message = `inventory.content: ${keys.join(" ")}`;
  store.fail({ method: "POST", status: 422, body: { success: false, message: [message] }, times: 1 });
  expect(await told(discord.press(owner, preview, "Create"))).toContain("refused this request");
  await discord.press(owner, preview, "Create").settled();
}

test("customers, goods, tokens, keys and stock get nowhere that they do not belong, with every line logged; a scenario that leaks fails at its end, and says what is where", async () => {
  const world = await createWorld();
  const { directory, discord, store } = world;
  const bot = await world.start();
  await bot.printed('"msg":"ready"');
  await connectStore(world, "a-wrong-token-of-somebodys");
  await connectStore(world);
  await setAlerts(world);
  await run(world, "store settings", { privacy: "full" }).settled();
  const order = store.placeOrder();
  await alertOf(world, order.id, (text) => text.includes(order.customer.email));
  await run(world, "order", { id: order.id }).settled();
  await addProduct(world, { stock: keys.join("\n") });
  const file = discord.upload("keys.txt", Buffer.from(keys.join("\r\n")), "text/plain");
  await addProduct(world, { "stock-file": [file] });
  store.fail({ status: 401, times: 3 });
  await run(world, "products").settled();
  expect(store.products.filter(({ submitted }) => submitted?.inventory.content?.includes("QK4T"))).toHaveLength(2);

  // Without a clean end, because what a database has beside its tables counts, too.
  await bot.kill();
  expect(await world.leaks()).toEqual([]);

  const { customer, items } = order;
  const key = await readFile(join(directory, "data", "secret.key"), "utf8");
  await plant(world, [plantedButton(`x:${store.token}`)]);
  await plant(world, [plantedButton(`x:${keys[1]}`)]);
  const onDisk = {
    "1": customer.email,
    "2": customer.name,
    "3": discord.token,
    "4": "a-wrong-token-of-somebodys",
    "5": keys[0] ?? "",
    "6": JSON.stringify(items),
    "7": Buffer.from(key, "base64"),
  };
  for (const [name, text] of Object.entries(onDisk)) await writeFile(join(directory, "data", name), text);
  const leaks = await world.leaks();

  expect(leaks.map((leak) => leak.slice(0, leak.indexOf("): ") + 1).replace(/\d{17,}/, "…")).sort()).toEqual([
    "a customer's e-mail in disk (data/1)",
    "a customer's name in disk (data/2)",
    "a secret key in disk (data/7)",
    "a store's API token in Discord (POST /channels/…/messages)",
    "a typed API token in disk (data/4)",
    "delivered goods in disk (data/6)",
    "stock in Discord (POST /channels/…/messages)",
    "stock in disk (data/5)",
    "the Discord token in disk (data/3)",
  ]);
  for (const secret of [store.token, customer.email, customer.name, ...keys]) {
    expect(leaks.join("\n")).not.toContain(secret);
  }
  await expect(world[Symbol.asyncDispose]()).rejects.toThrow("something secret is where it must not be");
});
