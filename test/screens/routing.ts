import type { World } from "../support/world.ts";
import { idOf, placeOrders } from "./shop.ts";
import { answerOf, type Book, connect, type Visit } from "./stage.ts";

/** Rules about where orders go, in a server of their own. */
export async function routing({ discord, store }: World, at: Visit, book: Book): Promise<void> {
  const order = store.orders.find(({ status }) => status === "PAID");
  if (order === undefined) throw new Error("no order is paid");
  await connect(at, store.token);
  await at.run("store settings", { currency: "USD" }).settled();
  await at.run("alerts set", { channel: at.channel("new-orders") }).settled();

  book.chapter("Where orders go", "Rules send some orders elsewhere, or show them to everyone.");
  book.screen("No rules", at.typed("alerts route list"), await answerOf(at, at.run("alerts route list")));
  const keys = { name: "Keys", channel: at.channel("deliveries"), role: at.guild.role("Staff"), status: "Paid" };
  const asked = { ...keys, method: "PIX", from: "10" };
  const typed = at.typed("alerts route add", { ...asked, channel: "#deliveries", role: "@Staff" });
  book.screen("A rule for the people who deliver", typed, await answerOf(at, at.run("alerts route add", asked)));
  const wins = { name: "Wins", channel: at.channel("wins"), style: "feed", status: "Paid", amount: true };
  const winsTyped = at.typed("alerts route add", { ...wins, channel: "#wins" });
  book.screen("A rule for everyone", winsTyped, await answerOf(at, at.run("alerts route add", wins)));
  const again = await answerOf(at, at.run("alerts route add", wins));
  book.screen("A name that is taken", winsTyped, again);
  book.screen("The rules", at.typed("alerts route list"), await answerOf(at, at.run("alerts route list")));
  const tried = { order: order.id };
  const test = await answerOf(at, at.run("alerts route test", tried));
  book.screen("Where an order would go", at.typed("alerts route test", tried), test);
  const none = { order: idOf("order 2") };
  const other = await answerOf(at, at.run("alerts route test", none));
  book.screen("And one that no rule fits", at.typed("alerts route test", none), other);

  await posting({ discord, store }, at, book);
  const move = { name: "Wins", position: 1 };
  book.screen(
    "Another order",
    at.typed("alerts route move", move),
    await answerOf(at, at.run("alerts route move", move)),
  );
  const gone = { name: "Keys" };
  book.screen(
    "A rule is deleted",
    at.typed("alerts route remove", gone),
    await answerOf(at, at.run("alerts route remove", gone)),
  );
  await stranding({ discord, store }, at, book);
  await at.run("alerts off").settled();
}

/** What the rules Keys and Wins post of an order that is paid. */
async function posting({ discord, store }: Pick<World, "discord" | "store">, at: Visit, book: Book): Promise<void> {
  const [bought] = placeOrders(store, 1, { status: "PENDING", paymentMethod: "PIX" });
  const id = bought?.id ?? "";
  await at.posted(id);
  store.setStatus(id, "PAID");
  const first = (channel: string) =>
    discord.waitFor(() => discord.messages(at.channel(channel))[0], `a message in #${channel}`, 15_000);
  book.screen("A public line", "The order is paid. In #wins.", at.show.message(await first("wins")));
  const routed = at.show.message(await first("deliveries"));
  book.screen("An order that entered a rule's status", "In #deliveries, after its alert in #new-orders.", routed);
}

/** An alert whose rule has lost its channel. */
async function stranding({ discord, store }: Pick<World, "discord" | "store">, at: Visit, book: Book): Promise<void> {
  const large = { name: "Large", channel: at.channel("deliveries"), from: "10" };
  await at.run("alerts route add", large).settled();
  const path = new RegExp(`/${large.channel}/messages$`);
  const denied = { status: 403, body: { message: "Missing Access", code: 50_001 } };
  const undo = discord.fail({ method: "POST", path, ...denied });
  const [bought] = placeOrders(store, 1);
  const alert = await at.posted(bought?.id ?? "", 30_000);
  const typed = at.typed("alerts route add", { ...large, channel: "#deliveries" });
  const lost = "In #new-orders, where the bot may not post in #deliveries.";
  book.screen("An alert whose rule has lost its channel", `${typed}. ${lost}`, at.show.message(alert));
  const owner = at.guild.person("owner");
  const told = await discord.waitFor(() => discord.dms(owner)[0], "the owner was told", 15_000);
  book.screen("The owner is told", "A private message to the server's owner, once.", at.show.message(told));
  undo();
}
