import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import type { World } from "../support/world.ts";
import { hostileTitle, idOf, placeOrders } from "./shop.ts";
import { answerOf, type Book, connect, modalOf, type Visit } from "./stage.ts";

/** What the push of each of these messages says. */
export const onPhone = (at: Visit, messages: readonly ApiMessage[]): string[] =>
  messages.map(({ content }) => at.show.text(content.split("\n")[0] ?? ""));

/** Connecting the store, and what is set. */
export async function connecting({ store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Connecting a store", "What the owner of a server sees first.");
  book.screen("Nothing is connected yet", at.typed("orders"), await answerOf(at, at.run("orders")));
  const opener = at.run("store connect");
  book.screen("The token is asked for", at.typed("store connect"), await modalOf(at, opener));
  const wrong = at.submit(opener, { token: "wrong-token" });
  book.screen("A wrong token", "Submit the modal with a token that the store refuses.", await answerOf(at, wrong));
  book.screen("Connected", "Submit the modal with the right token.", await connect(at, store.token));
  book.screen("Store status", at.typed("store status"), await answerOf(at, at.run("store status")));
  book.screen("Settings", at.typed("store settings"), await answerOf(at, at.run("store settings")));
  book.screen(
    "Suggested currencies",
    `${at.typed("store settings", { currency: "us dollar" })}, while it is typed.`,
    await at.suggest("store settings", "currency", "us dollar"),
  );
  const chosen = { currency: "USD", privacy: "masked" };
  book.screen(
    "Changed settings",
    at.typed("store settings", chosen),
    await answerOf(at, at.run("store settings", chosen)),
  );
}

/** Who has an order. */
async function handling(alert: ApiMessage, id: string, at: Visit, book: Book): Promise<void> {
  const taken = await answerOf(at, at.press(alert, "Take"));
  book.screen("An order is taken", "Press **Take** below the alert. The message itself says who has it.", taken);
  const held = await at.run("order", { id }).settled();
  const free = await at.press(held, "Give back").settled();
  const card = await answerOf(at, at.press(free, "Take"));
  book.screen("The card of a taken order", `${at.typed("order", { id: "…" })}; it was given back once.`, card);
  const remind = { after: "30 minutes", quiet: "22-8", timezone: "America/Sao_Paulo" };
  book.screen(
    "Reminders of orders that nobody took",
    at.typed("alerts remind", remind),
    await answerOf(at, at.run("alerts remind", remind)),
  );
}

/** Turning alerts on, and every message of theirs. */
export async function alerting({ discord, store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Alerts", "In #new-orders, seen by everybody there, but for the answers to commands.");
  const statuses = "PENDING,PAID";
  const set = { channel: at.channel("new-orders"), role: at.guild.role("Staff"), statuses };
  const setTyped = at.typed("alerts set", { channel: "#new-orders", role: "@Staff", statuses: "New and paid orders" });
  const question = await at.run("alerts set", set).settled();
  book.screen(
    "A channel that everybody reads",
    `${setTyped}, where the privacy setting is not \`none\`.`,
    at.show.message(question),
  );
  book.screen("Alerts are on", "Press **Confirm**.", await answerOf(at, at.press(question, "Confirm")));
  book.screen(
    "The channel is told",
    "In #new-orders.",
    at.show.message(await at.posted("New orders are announced here")),
  );

  const [order] = placeOrders(store, 1);
  const alert = await at.posted(order?.id ?? "");
  book.screen("A new order", "A customer buys something.", at.show.message(alert));
  const opened = await answerOf(at, at.press(alert, "Open"));
  book.screen("The order behind an alert", "Press **Open** below the alert.", opened);

  await handling(alert, order?.id ?? "", at, book);

  store.setStatus(order?.id ?? "", "PAID");
  const edited = await discord.waitFor(
    () => discord.messages(alert.channel_id).find((one) => one.id === alert.id && textOf(one).includes("Paid")),
    "the edited alert",
    15_000,
  );
  book.screen("The order is paid", "The same message, edited.", at.show.message(edited));
  const reply = await at.posted("Paid order");
  book.screen("And rings again", "A reply to that message.", at.show.message(reply));

  const many = placeOrders(store, 8);
  const batch = await at.posted("8 new orders");
  book.screen("Many orders at once", "Six or more orders come between two looks at the store.", at.show.message(batch));
  store.setStatus(many[2]?.id ?? "", "CANCELLED");
  const mixed = await discord.waitFor(
    () => discord.messages(batch.channel_id).find((one) => one.id === batch.id && textOf(one).includes("Cancelled")),
    "the edited alert of many",
    15_000,
  );
  book.screen("One of many is cancelled", "The same message, edited.", at.show.message(mixed));

  book.screen(
    "What a locked phone shows",
    "The first line of each: a new order, its payment, several orders, and that alerts are on.",
    ...onPhone(at, [alert, reply, batch, await at.posted("New orders are announced here")]),
  );

  const items = [{ productId: idOf("product 3"), productTitle: hostileTitle, quantity: 2, price: 1e21 }];
  const customer = { name: "**@here**", email: "\u202e@everyone" };
  const pricing = { subtotal: 1e21, discount: -0.1, total: 0.1 + 0.2 };
  placeOrders(store, 1, { items, customer, pricing, paymentMethod: "[x](https://evil.example)" });
  const hostile = await at.posted("FREE");
  book.screen("An order that wants to make trouble", "Its texts and numbers are absurd.", at.show.message(hostile));

  book.screen("Alerts status", at.typed("alerts status"), await answerOf(at, at.run("alerts status")));
  const test = await answerOf(at, at.run("alerts test"));
  const sample = at.show.message(await at.posted("This is a sample"));
  book.screen("A sample", `${at.typed("alerts test")}: the answer, and the message in #new-orders.`, test, sample);
  const moved = at.run("alerts set", { channel: at.channel("deliveries") });
  const confirm = at.press(await moved.settled(), "Confirm");
  book.screen(
    "Another channel",
    `${at.typed("alerts set", { channel: "#deliveries" })}, and **Confirm**.`,
    await answerOf(at, confirm),
  );
  book.screen("Alerts are off", at.typed("alerts off"), await answerOf(at, at.run("alerts off")));
  book.screen("Who did what", at.typed("store log"), await answerOf(at, at.run("store log")));
}

/** The lists and cards of orders and products. */
export async function looking({ store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Orders", "Only the person who asked sees the answers, and so the customer in them.");
  const first = await at.run("orders").settled();
  book.screen("A page of orders", at.typed("orders"), at.show.message(first));
  const card = await at.press(first, "Open an order", idOf("order 21")).settled();
  book.screen("An order, opened in the list", "Choose it in the menu.", at.show.message(card));
  const last = await at.press(await at.press(card, "Back").settled(), "Next").settled();
  book.screen("The next page", "Press **Back**, then **Next**.", at.show.message(last));
  const jump = at.press(last, "Page 2 of 3");
  book.screen("A page by its number", "Press **Page 2 of 3**.", await modalOf(at, jump));
  for (const [title, options] of [
    ["Beyond the last page", { page: 9 }],
    ["No orders", { status: "SHIPPED" }],
    ["Some statuses", { status: "cancelled, refunded" }],
    ["One customer", { email: store.orders[1]?.customer.email ?? "" }],
  ] as const) {
    book.screen(title, at.typed("orders", options), await answerOf(at, at.run("orders", options)));
  }
  store.honours.status = false;
  const ignored = await answerOf(at, at.run("orders", { status: "REFUNDED" }));
  store.honours.status = true;
  const how = `${at.typed("orders", { status: "REFUNDED" })}, where the store's API ignores the filter.`;
  book.screen("A filter that the store ignores", how, ignored);
  const typing = "…, while it is typed.";
  book.screen("Suggested statuses", `\`/orders status:\`${typing}`, await at.suggest("orders", "status", ""));
  book.screen("Suggested orders", `\`/order id: gift\`${typing}`, await at.suggest("order", "id", "gift"));
  const id = idOf("order 12");
  const order = await at.run("order", { id }).settled();
  book.screen("An order", at.typed("order", { id }), at.show.message(order));
  const theirs = await answerOf(at, at.press(order, "Their orders"));
  book.screen("All that its customer ordered", "Press **Their orders**, or type `/customer` with the address.", theirs);
  const nobody = { email: "nobody@example.com" };
  book.screen("No such customer", at.typed("customer", nobody), await answerOf(at, at.run("customer", nobody)));
  const trouble = { id: idOf("order 23") };
  book.screen(
    "An order that wants to make trouble, as a card",
    at.typed("order", trouble),
    await answerOf(at, at.run("order", trouble)),
  );

  book.chapter("Products", "Pictures are shown here by their addresses.");
  const products = await at.run("products").settled();
  book.screen("A page of products", at.typed("products"), at.show.message(products));
  const product = await at.press(products, "Open a product", idOf("product 0")).settled();
  book.screen("A product", "Choose it in the menu.", at.show.message(product));
  book.screen(
    "A copy of it",
    "Press **Copy**: the window for a new product opens.",
    await modalOf(at, at.press(product, "Copy")),
  );
  const back = await at.press(product, "Back").settled();
  const hostile = await at.press(back, "Open a product", idOf("product 3")).settled();
  book.screen("A product that wants to make trouble", "Choose it in the menu.", at.show.message(hostile));
  const titled = { title: "gift" };
  book.screen("By title", at.typed("products", titled), await answerOf(at, at.run("products", titled)));
  const none = { title: "nothing like it" };
  book.screen("No products", at.typed("products", none), await answerOf(at, at.run("products", none)));
  book.screen(
    "Suggested categories",
    `\`/products category:\`${typing} The API has no names for them, so they are named by what is in them.`,
    await at.suggest("products", "category", ""),
  );
}

/** A file of orders, and what stands in its place. */
export async function exporting({ store }: World, at: Visit, book: Book): Promise<void> {
  book.chapter("Files", "Only the person who asked sees them.");
  book.screen("Orders as a file", at.typed("export orders"), await answerOf(at, at.run("export orders")));
  const wrong = { from: "05/28/2026" };
  book.screen("What is no day", at.typed("export orders", wrong), await answerOf(at, at.run("export orders", wrong)));
  const { promise, resolve } = Promise.withResolvers<void>();
  const undo = store.fail({ path: /catalog\/product$/, hold: promise });
  const answer = at.run("export products");
  const shown = await answer.settled();
  book.screen("Products, while they are read", at.typed("export products"), at.show.message(shown));
  book.screen("Cancelled", "Press **Cancel**.", await answerOf(at, at.press(shown, "Cancel")));
  undo();
  resolve();
}

/** From the command to the product in the store. `aliases` learns the id that the store gives it. */
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
  book.screen("The long texts and the stock", at.typed("add-product", options), await modalOf(at, opener));
  const bare = at.run("add-product", { title: "Key", price: "1", category: categories[0].id });
  await bare.answer();
  book.screen("Without stock", "Submit the modal empty.", await answerOf(at, at.submit(bare, {})));
  const twice = { stock: "KEY-1", "stock-file": [discord.upload("keys.txt", Buffer.from("KEY-2"), "text/plain")] };
  const refused = await answerOf(at, at.submit(bare, twice));
  book.screen("Stock that is not taken", "Submit the modal with stock in both places.", refused);
  const filled = { description: "The sequel.", instructions: "Redeem it in the shop.", stock: "KEY-1\nKEY-2\nKEY-3" };
  const preview = await at.submit(opener, filled).settled();
  book.screen("The preview", "Submit the modal with texts and three keys.", at.show.message(preview));
  const messages = at.press(preview, "Messages");
  book.screen("The chat's messages", "Press **Messages**.", await modalOf(at, messages));
  const greeted = await at.submit(messages, { messages: "Thank you!\nYour key is in your inbox." }).settled();
  book.screen("The preview with messages", "Submit two lines.", at.show.message(greeted));
  const edit = at.press(greeted, "Edit");
  book.screen("What was typed, again", "Press **Edit**: all but the stock is there.", await modalOf(at, edit));
  const done = await at.press(greeted, "Create").settled();
  const { id = "" } = store.products.at(-1) ?? {};
  aliases.set(id, idOf("created product"));
  aliases.set(id.slice(0, 8), idOf("created product").slice(0, 8));
  book.screen("Created", "Press **Create**.", at.show.message(done));
  const created = await at.press(done, "Open").settled();
  book.screen("The new product", "Press **Open**.", at.show.message(created));

  const again = at.run("add-product", { title: "Lost", price: "1", category: categories[0].id });
  await again.answer();
  const unsure = await at.submit(again, { stock: "KEY-4" }).settled();
  const undo = store.fail({ method: "POST", drop: "before" });
  const looked = await at.press(unsure, "Create").settled();
  undo();
  book.screen("No clear answer", "Press **Create** while the store breaks off.", at.show.message(looked));
  book.screen("Cancelled after that", "Press **Cancel**.", await answerOf(at, at.press(looked, "Cancel")));
}
