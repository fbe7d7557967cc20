import { expect, test } from "vitest";
import { type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, plantedMenu } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { setAlerts, suggested } from "../support/process/world.ts";

const slowMs = 4_000;
/** Discord's limit for suggestions and first answers. `npm run bench` measures how fast they are. */
const discordMs = 3_000;

const world = useBot({}, ({ store }) => {
  store.placeOrders(25);
  store.seedProducts(25);
});

test.each([
  ["refuses", { status: 401 }],
  ["is slow", { delayMs: slowMs }],
] as const)("suggestions are empty, and there in time, while the store %s", async (_, rule) => {
  const undo = world.store.fail(rule);
  for (const [command, option] of [
    ["order", "id"],
    ["orders", "status"],
    ["products", "title"],
    ["products", "category"],
    ["alerts set", "statuses"],
  ] as const) {
    const began = performance.now();
    expect(await suggested(world, command, option), option).toEqual([]);
    expect(performance.now() - began, option).toBeLessThan(discordMs);
  }
  undo();
});

test("while the store takes 4 s, every command, button, menu and modal is answered in time; the store's answer is shown when it comes", async () => {
  const { act, discord, guild, person, press, store } = world;
  const order = store.orders.at(-1)?.id ?? "";
  const product = store.products[0]?.id ?? "";
  const newProduct = { title: "Key", price: "1", category: categories[0].id };
  async function opened(opener: Interaction) {
    await opener.answer();
    return (fields: Record<string, string>) => discord.submit(person(), opener, fields);
  }
  await setAlerts(world, { channel: guild.channel("staff") });
  const orders = await act("orders").settled();
  const products = await act("products").settled();
  const disconnect = await act("store disconnect").settled();
  const planted = await plant(world, [plantedButton(`order:open:${order}`)], [plantedMenu("order:pick", order)]);
  const connect = await opened(act("store connect"));
  const addProduct = await opened(act("add-product", newProduct));
  const preview = await (await opened(act("add-product", newProduct)))({ stock: "KEY-0" }).settled();
  const ordersJump = await opened(press(orders, "Page 1 of 3"));
  const productsJump = await opened(press(products, "Page 1 of 3"));
  store.fail({ delayMs: slowMs });

  const slow = act("order", { id: order });
  // The others may wait for their turn for longer than a person does: three at a time are asked for.
  await store.waitFor(() => store.requests.at(-1)?.path.endsWith(order), "a request for the order");
  const interactions = {
    "/order": slow,
    "/orders": act("orders"),
    "/products": act("products"),
    "/add-product": act("add-product", newProduct),
    "add-product modal": addProduct({ stock: "KEY-1" }),
    "add-product Create": press(preview, "Create"),
    "/store status": act("store status"),
    "/store settings": act("store settings", { currency: "EUR" }),
    "/store connect": act("store connect"),
    "/store disconnect": act("store disconnect"),
    "/alerts status": act("alerts status"),
    "/alerts test": act("alerts test"),
    "/alerts set": act("alerts set", { channel: guild.channel("new-orders") }),
    "connect modal": connect({ token: store.token }),
    "orders Next": press(orders, "Next"),
    "orders menu": press(orders, "Open an order", [order]),
    "orders jump": press(orders, "Page 1 of 3"),
    "orders jump modal": ordersJump({ page: "2" }),
    "products Next": press(products, "Next"),
    "products menu": press(products, "Open a product", [product]),
    "products jump": press(products, "Page 1 of 3"),
    "products jump modal": productsJump({ page: "2" }),
    "alert button": press(planted, "Press"),
    "alert menu": press(planted, "order:pick", ["Entry"]),
    "disconnect Cancel": press(disconnect, "Cancel"),
  };
  for (const [what, interaction] of Object.entries(interactions)) {
    expect((await interaction.answer()).afterMs, what).toBeLessThan(discordMs);
  }
  // The last command, because it waits for the poll that is under way.
  expect((await act("alerts off").answer()).afterMs).toBeLessThan(discordMs);

  expect(textOf(await slow.settled())).toContain(`ID: \`${order}\``);
});
