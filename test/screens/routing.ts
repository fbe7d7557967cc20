import type { World } from "../support/process/world.ts";
import { idOf, placeOrders } from "./shop.ts";
import { type Book, connect, type Visit } from "./stage.ts";

/** Rules about where orders go, in a server of their own. */
export async function routing({ discord, store }: World, at: Visit, book: Book): Promise<void> {
  const order = store.orders.find(({ status }) => status === "PAID");
  if (order === undefined) throw new Error("no order is paid");
  await connect(at, store.token);
  await at.run("store settings", { currency: "USD" }).settled();
  await at.run("alerts set", { channel: at.channel("new-orders") }).settled();

  book.chapter("Where orders go", "Rules send some orders elsewhere, or show them to everyone.");
  await at.runs("No rules", "alerts route list");
  const keys = { name: "Keys", channel: at.channel("deliveries"), role: at.guild.role("Staff"), status: "Paid" };
  const asked = { ...keys, method: "PIX", from: "10" };
  const as = { channel: "#deliveries", role: "@Staff" };
  await at.runs("A rule for the people who deliver", "alerts route add", asked, as);
  const wins = { name: "Wins", channel: at.channel("wins"), style: "feed", status: "Paid", amount: true };
  await at.runs("A rule for everyone", "alerts route add", wins, { channel: "#wins" });
  await at.runs("A name that is taken", "alerts route add", wins, { channel: "#wins" });
  await at.runs("The rules", "alerts route list");
  await at.runs("Where an order would go", "alerts route test", { order: order.id });
  await at.runs("And one that no rule fits", "alerts route test", { order: idOf("order 2") });

  await posting({ discord, store }, at);
  await at.runs("Another order", "alerts route move", { name: "Wins", position: 1 });
  await at.runs("A rule is deleted", "alerts route remove", { name: "Keys" });
  await stranding({ discord, store }, at);
  await at.run("alerts off").settled();
}

/** The messages of the rules Keys and Wins about a paid order. */
async function posting({ discord, store }: Pick<World, "discord" | "store">, at: Visit): Promise<void> {
  const [bought] = placeOrders(store, 1, { status: "PENDING", paymentMethod: "PIX" });
  const id = bought?.id ?? "";
  await at.posted(id);
  store.setStatus(id, "PAID");
  const first = (channel: string) =>
    discord.waitFor(() => discord.messages(at.channel(channel))[0], `a message in #${channel}`, 15_000);
  at.screen("A public line", "The order is paid. In #wins.", at.show.message(await first("wins")));
  const routed = at.show.message(await first("deliveries"));
  at.screen("An order that entered a rule's status", "In #deliveries, after its alert in #new-orders.", routed);
}

/** An alert whose rule has lost its channel. */
async function stranding({ discord, store }: Pick<World, "discord" | "store">, at: Visit): Promise<void> {
  const large = { name: "Large", channel: at.channel("deliveries"), from: "10" };
  await at.run("alerts route add", large).settled();
  const path = new RegExp(`/${large.channel}/messages$`);
  const denied = { status: 403, body: { message: "Missing Access", code: 50_001 } };
  const undo = discord.fail({ method: "POST", path, ...denied });
  const [bought] = placeOrders(store, 1);
  const alert = await at.posted(bought?.id ?? "", 30_000);
  const typed = at.typed("alerts route add", { ...large, channel: "#deliveries" });
  const lost = "In #new-orders, where the bot may not post in #deliveries.";
  at.screen("An alert whose rule has lost its channel", `${typed}. ${lost}`, at.show.message(alert));
  const owner = at.guild.person("owner");
  const told = await discord.waitFor(() => discord.dms(owner)[0], "the owner was told", 15_000);
  at.screen("The owner is told", "A private message to the server's owner, once.", at.show.message(told));
  undo();
}
