import { toAlertOrder } from "../../src/alerts/alert-order.ts";
import { hiddenMark } from "../../src/views/hidden-mark.ts";
import type { PostPayload } from "../../src/views/payload.ts";
import { feedMessage, routedMessage } from "../../src/views/routed.ts";
import type { ApiMessage } from "../sandbox/discord/discord.ts";
import type { World } from "../support/world.ts";
import { idOf } from "./shop.ts";
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
  const wins = { name: "Wins", channel: at.channel("new-orders"), style: "feed", status: "Paid", amount: true };
  const winsTyped = at.typed("alerts route add", { ...wins, channel: "#new-orders" });
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

  async function posted(payload: PostPayload): Promise<string> {
    const response = await fetch(`${discord.apiUrl}/v10/channels/${at.channel("deliveries")}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
      body: JSON.stringify(payload),
    });
    return at.show.message((await response.json()) as ApiMessage);
  }
  const { createdAt, ...paid } = order;
  const shown = toAlertOrder({ ...paid, createdAt: Date.parse(createdAt) }, "none");
  const view = { locale: "en", currency: "USD", privacy: "none" } as const;
  const marked = { order: shown, mark: hiddenMark([order.id]) };
  const line = await posted(feedMessage([{ ...marked, showsAmount: true }], view));
  book.screen("A public line", "In the channel of such a rule.", line);
  const routed = await posted(routedMessage([marked], { name: "Keys", roleId: at.guild.role("Staff") }, view));
  book.screen("An order that entered a rule's status", "In #deliveries, after its alert in #new-orders.", routed);

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
  await at.run("alerts route remove", { name: "Wins" }).settled();
  await at.run("alerts off").settled();
}
