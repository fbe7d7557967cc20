import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiMessage, Interaction } from "../sandbox/discord/discord.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, plantedMenu } from "../support/checks.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

/** Longer than Discord waits for a first answer. */
const slowMs = 4_000;
const firstAnswerMs = 1_000;
const suggestionsMs = 500;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  world.store.placeOrders(25);
  world.store.seedProducts(25);
  await world.start();
  await connectStore(world);
});

afterAll(() => world[Symbol.asyncDispose]());

const owner = () => world.guild.person("owner");

function typing(name: string, focused: string, subcommand?: string) {
  const place = { guildId: world.guild.id, channelId: world.guild.channel("staff") };
  return world.discord.autocomplete(owner(), { ...place, name, ...(subcommand ? { subcommand } : {}), focused });
}

const suggesting = () => ({
  "order id": typing("order", "id"),
  "orders status": typing("orders", "status"),
  "products title": typing("products", "title"),
  "products category": typing("products", "category"),
  "alerts set statuses": typing("alerts", "statuses", "set"),
});

async function expectEmptySoon() {
  for (const [what, interaction] of Object.entries(suggesting())) {
    const { choices, afterMs } = await interaction.answer();
    expect(choices, what).toEqual([]);
    expect(afterMs, what).toBeLessThan(suggestionsMs);
  }
}

describe("suggestions", () => {
  test("are empty, and there at once, while the store is down", async () => {
    await world.store.down();
    await expectEmptySoon();
    await world.store.up();
  });

  test("are empty, and there at once, while the store refuses or makes no sense", async () => {
    for (const rule of [{ status: 401 }, { garbage: "?" }]) {
      const undo = world.store.fail(rule);
      await expectEmptySoon();
      undo();
    }
  });

  test("are empty, and there in time, while the store is slow", async () => {
    const undo = world.store.fail({ delayMs: slowMs });
    await expectEmptySoon();
    undo();
  });
});

describe("while the store takes 4 s", () => {
  let orders: ApiMessage;
  let products: ApiMessage;
  let planted: ApiMessage;
  let jumps: readonly Interaction[];
  let connect: Interaction;
  let disconnect: ApiMessage;
  let addProduct: Interaction;
  let preview: ApiMessage;
  let slow: Interaction;

  beforeAll(async () => {
    const id = world.store.orders[0]?.id ?? "";
    await setAlerts(world, { channel: world.guild.channel("staff") });
    [orders, products, disconnect, planted] = await Promise.all([
      run(world, "orders").settled(),
      run(world, "products").settled(),
      run(world, "store disconnect").settled(),
      plant(world, [plantedButton(`order:open:${id}`)], [plantedMenu("order:pick", id)]),
    ]);
    connect = run(world, "store connect");
    const options = { title: "Key", price: "1", category: categories[0].id };
    const first = run(world, "add-product", options);
    addProduct = run(world, "add-product", options);
    await Promise.all([first.answer(), addProduct.answer()]);
    preview = await world.discord.submit(owner(), first, { stock: "KEY-0" }).settled();
    jumps = [orders, products].map((list) => world.discord.press(owner(), list, "Page 1 of 3"));
    await Promise.all([connect.answer(), ...jumps.map((jump) => jump.answer())]);
    world.store.fail({ delayMs: slowMs });
  });

  const press = (message: ApiMessage, what: string, value?: string) =>
    world.discord.press(owner(), message, what, value === undefined ? {} : { values: [value] });

  test("every command, button, menu and modal is answered within 1 s", async () => {
    const order = world.store.orders.at(-1)?.id ?? "";
    const product = world.store.products[0]?.id ?? "";
    slow = run(world, "order", { id: order });
    // The others may wait for their turn for longer than a person does: three at a time are asked for.
    await world.store.waitFor(() => world.store.requests.at(-1)?.path.endsWith(order), "a request for the order");
    const [ordersJump, productsJump] = jumps as [Interaction, Interaction];
    const interactions = {
      "/order": slow,
      "/orders": run(world, "orders"),
      "/products": run(world, "products"),
      "/add-product": run(world, "add-product", { title: "Key", price: "1", category: categories[0].id }),
      "add-product modal": world.discord.submit(owner(), addProduct, { stock: "KEY-1" }),
      "add-product Create": press(preview, "Create"),
      "/store status": run(world, "store status"),
      "/store settings": run(world, "store settings", { currency: "EUR" }),
      "/store connect": run(world, "store connect"),
      "/store disconnect": run(world, "store disconnect"),
      "/alerts status": run(world, "alerts status"),
      "/alerts test": run(world, "alerts test"),
      "/alerts set": run(world, "alerts set", { channel: world.guild.channel("new-orders") }),
      "connect modal": world.discord.submit(owner(), connect, { token: world.store.token }),
      "orders Next": press(orders, "Next"),
      "orders menu": press(orders, "Open an order", order),
      "orders jump": press(orders, "Page 1 of 3"),
      "orders jump modal": world.discord.submit(owner(), ordersJump, { page: "2" }),
      "products Next": press(products, "Next"),
      "products menu": press(products, "Open a product", product),
      "products jump": press(products, "Page 1 of 3"),
      "products jump modal": world.discord.submit(owner(), productsJump, { page: "2" }),
      "alert button": press(planted, "Press"),
      "alert menu": press(planted, "order:pick", "Entry"),
      "disconnect Cancel": press(disconnect, "Cancel"),
    };
    for (const [what, interaction] of Object.entries(interactions)) {
      const { afterMs } = await interaction.answer();
      expect(afterMs, what).toBeLessThan(firstAnswerMs);
    }
    // This one waits for the poll that is under way, so it comes last.
    const { afterMs } = await run(world, "alerts off").answer();

    expect(afterMs).toBeLessThan(firstAnswerMs);
  });

  test("the store's answer is shown when it comes", async () => {
    const card = await slow.settled(slowMs + 5_000);
    expect(textOf(card)).toContain(`ID: \`${world.store.orders.at(-1)?.id}\``);
  });
});
