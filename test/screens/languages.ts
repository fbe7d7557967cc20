import { categories } from "../sandbox/store/start-store.ts";
import type { World } from "../support/process/world.ts";
import { onPhone } from "./first-day.ts";
import { idOf, placeOrders } from "./shop.ts";
import type { Book, Visit } from "./stage.ts";

/** As people of this language see the main screens. `language` is the server's setting. */
export async function abroad(
  { discord, store }: World,
  at: Visit,
  { name, language, open }: { readonly name: string; readonly language: string; readonly open: string },
  book: Book,
): Promise<void> {
  book.chapter(name, "The main screens again.");
  const opener = at.run("store connect");
  await at.window("Connecting a store", at.typed("store connect"), opener);
  await at.shown("Connected", "Submit the modal.", at.submit(opener, { token: store.token }));
  await at.runs("Settings", "store settings", { currency: "BRL", language });
  await at.runs("Store status", "store status");
  const chosen = { channel: at.channel("new-orders"), statuses: "PENDING,PAID" };
  await at.runs("Alerts are on", "alerts set", chosen, { channel: "#new-orders" });
  const [said] = discord.messages(chosen.channel);
  const [order] = placeOrders(store, 1);
  const alert = await at.posted(order?.id ?? "");
  at.screen("A new order", "In #new-orders.", at.show.message(alert));
  store.setStatus(order?.id ?? "", "PAID");
  const reply = await discord.waitFor(
    () => discord.messages(chosen.channel).find(({ message_reference: to }) => to?.message_id === alert.id),
    "the reply to the alert",
    15_000,
  );
  placeOrders(store, 8);
  const batch = await at.posted("8 ");
  at.screen(
    "What a locked phone shows",
    "The first line of each: a new order, its payment, several orders, and that alerts are on.",
    ...onPhone(at, [alert, reply, batch, ...(said ? [said] : [])]),
  );
  await at.run("alerts off").settled();

  const list = await at.runs("A page of orders", "orders", { status: "PAID" });
  await at.presses("An order", list, open, "Choose it in the menu.", idOf("order 8"));
  await at.runs("A page of products", "products", { title: "gift" });
  const product = { title: "Kart Legends 3", price: "49,90", category: categories[0].id };
  const window = at.run("add-product", product);
  await at.window("A new product", at.typed("add-product", product), window);
  await at.shown("The preview", "Submit the modal with two keys.", at.submit(window, { stock: "KEY-1\nKEY-2" }));
  await at.runs("A problem", "order", { id: "42" });
  await at.shown("Refused", at.typed("orders"), at.run("orders", {}, "member"));
}
