import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import { holdStore } from "../support/process/hold-store.ts";
import type { World } from "../support/process/world.ts";
import { hostileTitle, idOf, placeOrders } from "./shop.ts";
import type { Book, Visit } from "./stage.ts";

/** What the push of each message says. */
export const onPhone = (at: Visit, messages: readonly ApiMessage[]): string[] =>
  messages.map(({ content }) => at.show.text(content.split("\n")[0] ?? ""));

const typing = ", while it is typed.";

export async function connecting({ store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Connecting a store", "What the owner of a server sees first.");
  await at.runs("Nothing is connected yet", "orders");
  const opener = at.run("store connect");
  await at.window("The token is asked for", at.typed("store connect"), opener);
  const submit = (token: string) => at.submit(opener, { token });
  await at.shown("A wrong token", "Submit the modal with a token that the store refuses.", submit("wrong-token"));
  await at.shown("Connected", "Submit the modal with the right token.", submit(store.token));
  await at.runs("Store status", "store status");
  await at.runs("Settings", "store settings");
  const how = at.typed("store settings", { currency: "us dollar" }) + typing;
  at.screen("Suggested currencies", how, await at.suggest("store settings", "currency", "us dollar"));
  await at.runs("Changed settings", "store settings", { currency: "USD", privacy: "masked" });
}

async function handling(alert: ApiMessage, id: string, at: Visit): Promise<void> {
  const take = "Press **Take** below the alert. The message itself says who has it.";
  await at.presses("An order is taken", alert, "Take", take);
  const held = await at.run("order", { id }).settled();
  const free = await at.press(held, "Give back").settled();
  const how = `${at.typed("order", { id: "…" })}; it was given back once.`;
  await at.presses("The card of a taken order", free, "Take", how);
  const remind = { after: "30 minutes", quiet: "22-8", timezone: "America/Sao_Paulo" };
  await at.runs("Reminders of orders that nobody took", "alerts remind", remind);
}

export async function alerting({ discord, store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Alerts", "In #new-orders, seen by everybody there, but for the answers to commands.");
  const set = { channel: at.channel("new-orders"), role: at.guild.role("Staff"), statuses: "PENDING,PAID" };
  const as = { channel: "#new-orders", role: "@Staff", statuses: "New and paid orders" };
  const notNone = ", where the privacy setting is not `none`.";
  const question = await at.runs("A channel that everybody reads", "alerts set", set, as, notNone);
  await at.presses("Alerts are on", question, "Confirm");
  const told = await at.posted("Order alerts come to this channel");
  at.screen("The channel is told", "In #new-orders.", at.show.message(told));

  const [order] = placeOrders(store, 1);
  const alert = await at.posted(order?.id ?? "");
  at.screen("A new order", "A customer buys something.", at.show.message(alert));
  await at.presses("The order behind an alert", alert, "Open", "Press **Open** below the alert.");
  await handling(alert, order?.id ?? "", at);

  const edited = ({ id, channel_id }: ApiMessage, text: string) =>
    discord.waitFor(
      () => discord.messages(channel_id).find((one) => one.id === id && textOf(one).includes(text)),
      `an alert with ${text}`,
      15_000,
    );
  store.setStatus(order?.id ?? "", "PAID");
  at.screen("The order is paid", "The same message, edited.", at.show.message(await edited(alert, "Paid")));
  const reply = await at.posted("Paid order");
  at.screen("And rings again", "A reply to that message.", at.show.message(reply));

  const many = placeOrders(store, 8);
  const batch = await at.posted("8 new orders");
  at.screen("Many orders at once", "Six or more orders come between two looks at the store.", at.show.message(batch));
  store.setStatus(many[2]?.id ?? "", "CANCELLED");
  const mixed = at.show.message(await edited(batch, "Cancelled"));
  at.screen("One of many is cancelled", "The same message, edited.", mixed);

  at.screen(
    "What a locked phone shows",
    "The first line of each: a new order, its payment, several orders, and that alerts are on.",
    ...onPhone(at, [alert, reply, batch, await at.posted("Order alerts come to this channel")]),
  );

  const items = [{ productId: idOf("product 3"), productTitle: hostileTitle, quantity: 2, price: 1e21 }];
  const customer = { name: "**@here**", email: "\u202e@everyone" };
  const pricing = { subtotal: 1e21, discount: -0.1, total: 0.1 + 0.2 };
  placeOrders(store, 1, { items, customer, pricing, paymentMethod: "[x](https://evil.example)" });
  const hostile = await at.posted("FREE");
  at.screen("An order that wants to make trouble", "Its texts and numbers are absurd.", at.show.message(hostile));

  await at.runs("Alerts status", "alerts status");
  const test = at.show.message(await at.run("alerts test").settled());
  const sample = at.show.message(await at.posted("This is a sample"));
  at.screen("A sample", `${at.typed("alerts test")}: the answer, and the message in #new-orders.`, test, sample);
  const moved = await at.run("alerts set", { channel: at.channel("deliveries") }).settled();
  const how = `${at.typed("alerts set", { channel: "#deliveries" })}, and **Confirm**.`;
  await at.presses("Another channel", moved, "Confirm", how);
  await at.runs("Alerts are off", "alerts off");
  await at.runs("Who did what", "store log");
}

export async function looking({ store }: World, at: Visit, book: Book): Promise<void> {
  const chosen = "Choose it in the menu.";
  book.chapter("Orders", "Only the person who asked sees the answers, and so the customer in them.");
  const first = await at.runs("A page of orders", "orders");
  const card = await at.presses("An order, opened in the list", first, "Open an order", chosen, idOf("order 21"));
  const back = await at.press(card, "Back").settled();
  const last = await at.presses("The next page", back, "Next", "Press **Back**, then **Next**.");
  await at.window("A page by its number", "Press **Page 2 of 3**.", at.press(last, "Page 2 of 3"));
  await at.runs("Beyond the last page", "orders", { page: 9 });
  await at.runs("No orders", "orders", { status: "SHIPPED" });
  await at.runs("Some statuses", "orders", { status: "cancelled, refunded" });
  await at.runs("One customer", "orders", { email: store.orders[1]?.customer.email ?? "" });
  store.honours.status = false;
  const ignored = ", where the store's API ignores the filter.";
  await at.runs("A filter that the store ignores", "orders", { status: "REFUNDED" }, {}, ignored);
  store.honours.status = true;
  at.screen("Suggested statuses", `\`/orders status:\`…${typing}`, await at.suggest("orders", "status", ""));
  at.screen("Suggested orders", `\`/order id: gift\`…${typing}`, await at.suggest("order", "id", "gift"));
  const order = await at.runs("An order", "order", { id: idOf("order 12") });
  const theirs = "Press **Their orders**, or type `/customer` with the address.";
  await at.presses("All that its customer ordered", order, "Their orders", theirs);
  await at.runs("No such customer", "customer", { email: "nobody@example.com" });
  await at.runs("An order that wants to make trouble, as a card", "order", { id: idOf("order 23") });

  book.chapter("Products", "Pictures are shown here by their addresses.");
  const products = await at.runs("A page of products", "products");
  const product = await at.presses("A product", products, "Open a product", chosen, idOf("product 0"));
  await at.window("A copy of it", "Press **Copy**: the window for a new product opens.", at.press(product, "Copy"));
  const list = await at.press(product, "Back").settled();
  await at.presses("A product that wants to make trouble", list, "Open a product", chosen, idOf("product 3"));
  await at.runs("By title", "products", { title: "gift" });
  await at.runs("No products", "products", { title: "nothing like it" });
  at.screen(
    "Suggested categories",
    `\`/products category:\`…${typing} The API has no names for them, so they are named by what is in them.`,
    await at.suggest("products", "category", ""),
  );
}

/** With the answers if there are no orders. */
export async function exporting({ store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Files", "Only the person who asked sees them.");
  await at.runs("Orders as a file", "export orders");
  await at.runs("What is no day", "export orders", { from: "05/28/2026" });
  const release = holdStore(store, { path: /catalog\/product$/ });
  const reading = await at.runs("Products, while they are read", "export products");
  await at.presses("Cancelled", reading, "Cancel");
  release();
}

/** From the command to the store. Adds the product's id to `aliases`. */
export async function adding(
  { discord, store }: World,
  at: Visit,
  book: Book,
  aliases: Map<string, string>,
): Promise<void> {
  book.chapter("A new product", "Stock is never shown again after it was typed.");
  const options = {
    title: "Kart Legends 2",
    price: "49.90",
    category: categories[0].id,
    "compare-at": "39.90",
    image: "https://images.example/kart.png",
    youtube: "https://youtu.be/kart-legends",
    "min-quantity": 1,
    chat: true,
  };
  const opener = at.run("add-product", options);
  await at.window("The long texts and the stock", at.typed("add-product", options), opener);
  const bare = at.run("add-product", { title: "Key", price: "1", category: categories[0].id });
  await bare.answer();
  await at.shown("Without stock", "Submit the modal empty.", at.submit(bare, {}));
  const twice = { stock: "KEY-1", "stock-file": [discord.upload("keys.txt", Buffer.from("KEY-2"), "text/plain")] };
  await at.shown("Stock that is not taken", "Submit the modal with stock in both places.", at.submit(bare, twice));
  const filled = { description: "The sequel.", instructions: "Redeem it in the shop.", stock: "KEY-1\nKEY-2\nKEY-3" };
  const how = "Submit the modal with texts and three keys.";
  const preview = await at.shown("The preview", how, at.submit(opener, filled));
  const messages = at.press(preview, "Messages");
  await at.window("The chat's messages", "Press **Messages**.", messages);
  const lines = at.submit(messages, { messages: "Thank you!\nYour key is in your inbox." });
  const greeted = await at.shown("The preview with messages", "Submit two lines.", lines);
  const edit = "Press **Edit**: all but the stock is there.";
  await at.window("What was typed, again", edit, at.press(greeted, "Edit"));
  const done = await at.press(greeted, "Create").settled();
  const { id = "" } = store.products.at(-1) ?? {};
  aliases.set(id, idOf("created product"));
  aliases.set(id.slice(0, 8), idOf("created product").slice(0, 8));
  at.screen("Created", "Press **Create**.", at.show.message(done));
  await at.presses("The new product", done, "Open");

  const again = at.run("add-product", { title: "Lost", price: "1", category: categories[0].id });
  await again.answer();
  const unsure = await at.submit(again, { stock: "KEY-4" }).settled();
  const undo = store.fail({ method: "POST", drop: "before" });
  const looked = await at.presses("No clear answer", unsure, "Create", "Press **Create** while the store breaks off.");
  undo();
  await at.presses("Cancelled after that", looked, "Cancel");
}
