import { categories } from "../sandbox/store/start-store.ts";
import type { World } from "../support/world.ts";
import { onPhone } from "./first-day.ts";
import { idOf, placeOrders } from "./shop.ts";
import { answerOf, type Book, modalOf, type Visit } from "./stage.ts";

/** The main screens as people of this language see them; `language` is the server's setting. */
export async function abroad(
  { discord, store }: World,
  at: Visit,
  { name, language, open }: { readonly name: string; readonly language: string; readonly open: string },
  book: Book,
): Promise<void> {
  book.chapter(name, "The main screens again.");
  const opener = at.run("store connect");
  book.screen("Connecting a store", at.typed("store connect"), await modalOf(at, opener));
  const connected = await answerOf(at, at.submit(opener, { token: store.token }));
  book.screen("Connected", "Submit the modal.", connected);
  const settings = { currency: "BRL", language };
  const set = await answerOf(at, at.run("store settings", settings));
  book.screen("Settings", at.typed("store settings", settings), set);
  book.screen("Store status", at.typed("store status"), await answerOf(at, at.run("store status")));
  const chosen = { channel: at.channel("new-orders"), statuses: "PENDING,PAID" };
  const alerts = await answerOf(at, at.run("alerts set", chosen));
  book.screen("Alerts are on", at.typed("alerts set", { ...chosen, channel: "#new-orders" }), alerts);
  const [said] = discord.messages(chosen.channel);
  const [order] = placeOrders(store, 1);
  const alert = await at.posted(order?.id ?? "");
  book.screen("A new order", "In #new-orders.", at.show.message(alert));
  store.setStatus(order?.id ?? "", "PAID");
  const reply = await discord.waitFor(
    () => discord.messages(chosen.channel).find(({ message_reference: to }) => to?.message_id === alert.id),
    "the reply to the alert",
    15_000,
  );
  placeOrders(store, 8);
  const batch = await at.posted("8 ");
  book.screen(
    "What a locked phone shows",
    "The first line of each: a new order, its payment, several orders, and that alerts are on.",
    ...onPhone(at, [alert, reply, batch, ...(said ? [said] : [])]),
  );
  await at.run("alerts off").settled();

  const list = await at.run("orders", { status: "PAID" }).settled();
  book.screen("A page of orders", at.typed("orders", { status: "PAID" }), at.show.message(list));
  const card = await at.press(list, open, idOf("order 8")).settled();
  book.screen("An order", "Choose it in the menu.", at.show.message(card));
  const titled = { title: "gift" };
  book.screen("A page of products", at.typed("products", titled), await answerOf(at, at.run("products", titled)));
  const product = { title: "Kart Legends 3", price: "49,90", category: categories[0].id };
  const modal = at.run("add-product", product);
  book.screen("A new product", at.typed("add-product", product), await modalOf(at, modal));
  const preview = await answerOf(at, at.submit(modal, { stock: "KEY-1\nKEY-2" }));
  book.screen("The preview", "Submit the modal with two keys.", preview);
  book.screen("A problem", at.typed("order", { id: "42" }), await answerOf(at, at.run("order", { id: "42" })));
  book.screen("Refused", at.typed("orders"), await answerOf(at, at.run("orders", {}, "member")));
}
