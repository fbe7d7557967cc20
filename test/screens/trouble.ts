import { setTimeout as wait } from "node:timers/promises";
import { PermissionFlagsBits } from "@discordjs/core";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { texts } from "../../src/locales/texts.ts";
import { noticesTable } from "../../src/outbox/notices.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { categories } from "../sandbox/store/start-store.ts";
import type { Bot, World } from "../support/process/world.ts";
import { idOf, placeOrders } from "./shop.ts";
import { type Book, connect, type Visit } from "./stage.ts";

const minuteMs = 60_000;
/** How long the store asks to wait in one scene. All requests of the token wait, and people do not wait so long. */
const holdMs = 13_000;
/** Long enough for the bot to tell people that the store is down. */
const outageMs = 12 * minuteMs;

/** An answer that changes the pressed message later. */
const deferredUpdate = 6;

/** Without the mark and the lines below the sentence. */
const sentenceIn = (text: string) => text.replace(/^\S+ /, "").replace(/\n.*$/s, "");

async function sentenceOf(interaction: Interaction): Promise<string> {
  const { type } = await interaction.answer();
  // A refused press leaves its message as it is. The answer is a message of its own.
  return sentenceIn(textOf(await (type === deferredUpdate ? interaction.firstFollowup() : interaction.settled())));
}

/** Every sentence that a person may get instead of an answer. */
export async function failing({ discord, store }: World, at: Visit, other: Visit, book: Book): Promise<void> {
  const said = new Map<string, string>();
  async function say(what: string, interaction: Interaction, undo: () => unknown = () => undefined) {
    said.set(what, await sentenceOf(interaction));
    await undo();
  }
  const product = { title: "Key", price: "1", category: categories[0].id };
  const unknown = { id: idOf("nothing") };

  await say("No store is connected", other.run("orders"));
  const token = at.run("store connect");
  await token.answer();
  await say("The store refuses the token", at.submit(token, { token: "wrong-token" }));
  await say("What was pasted is no token", at.submit(token, { token: "two words" }));
  await say("Alerts are off", at.run("alerts status"));
  await say("There is no such currency", at.run("store settings", { currency: "ZZZZ" }));
  await say("An order that is not there", at.run("order", unknown));
  await say("No order id", at.run("order", { id: "42" }));
  const list = await at.run("orders").settled();
  const jump = at.press(list, "Page 1 of 3");
  await jump.answer();
  await say("No such page", at.submit(jump, { page: "seven" }));
  await say("No category", at.run("products", { category: "Games" }));
  await say("No title", at.run("add-product", { ...product, title: "\u200b" }));
  await say("No picture", at.run("add-product", { ...product, image: "kart.png" }));
  await say("No video", at.run("add-product", { ...product, youtube: "https://example.com" }));
  const draft = at.run("add-product", product);
  await draft.answer();
  const file = (name: string, bytes: Uint8Array) => [discord.upload(name, bytes, "text/plain")];
  const keys = file("keys.txt", Buffer.from("KEY-1"));
  await say("Stock in both places", at.submit(draft, { stock: "KEY-1", "stock-file": keys }));
  await say("Stock that is no text", at.submit(draft, { "stock-file": file("keys.txt", Buffer.from([0xff, 0xfe])) }));
  const big = file("keys.txt", Buffer.alloc(2 * 1024 * 1024, "x"));
  await say("Stock that is too big", at.submit(draft, { "stock-file": big }));

  const faults = {
    "The store is unwell": { status: 500 },
    "The store answers what makes no sense": { body: "<html>" },
    "The store answers far too much": { hugeBytes: 9 * 1024 * 1024 },
    "The store refuses, and says why": { body: { success: false, message: "The panel is closed" } },
    "The store refuses": { body: { success: false } },
    "The store asks to wait": { status: 429, headers: { "retry-after": String(holdMs / 1_000) } },
  };
  for (const [what, rule] of Object.entries(faults)) {
    const undo = store.fail(rule);
    await say(what, at.run("orders", {}, "staff"), undo);
  }

  // A person who takes no part in later scenes, because the bot allows this person no more commands.
  const crowd = Array.from({ length: budgets.interactions.burst + 20 }, () => other.run("orders", {}, "staff"));
  const refused = (await Promise.all(crowd.map(sentenceOf))).find((text) =>
    text.startsWith("The bot got too many requests"),
  );
  if (refused === undefined) throw new Error("no command was too much");
  said.set("Too much at once", refused);

  book.chapter(
    "Problems",
    "Each says what happened, whether anything was changed where it could have been, and what to do next.",
  );
  const marked = [...said].map(([what, sentence]) => `**${what}:** ${sentence}`);
  book.list(marked);
  const shown = new Set(said.values());
  const samples = Object.values(texts("en").problems).map((text) =>
    typeof text === "string" ? text : (text as (argument: never) => string)("…" as never),
  );
  const openings = new Set([...shown].map((sentence) => sentence.slice(0, 40)));
  const rest = samples.filter((sentence) => !openings.has(sentence.slice(0, 40)));
  book.chapter("More problems", "The sentences for what this tour does not bring about.");
  book.list(rest);
}

/** The answers to people without the permission. */
export async function refusing(at: Visit, book: Book): Promise<void> {
  book.chapter("Refused", "Everybody else than managers of the server, and the staff role where there is one.");
  await at.shown(
    "A member",
    `${at.typed("orders")} by somebody without the permission.`,
    at.run("orders", {}, "member"),
  );
}

/** The bot's notices about trouble. The store's token changes. Returns the bot that was started again. */
export async function warning(world: World, at: Visit, lost: Visit, bot: Bot, book: Book): Promise<Bot> {
  const { discord, store } = world;
  book.chapter("Notices", "What the bot says by itself, once each.");
  const owner = lost.guild.person("owner");
  const told = (count: number) => discord.waitFor(() => discord.dms(owner)[count - 1], "the owner was told", 15_000);
  // Requests with the other token may have to wait, because the store said so.
  const token = "a-second-token-of-the-pretend-store-Cd5E";
  store.allowToken(token);
  await connect(lost, token);
  await lost.run("alerts set", { channel: lost.channel("new-orders") }).settled();
  discord.setBotPermissions(lost.channel("new-orders"), { deny: PermissionFlagsBits.SendMessages });
  placeOrders(store, 1);
  const forbidden = lost.show.message(await told(1));
  at.screen("A permission is missing", "A private message to the server's owner.", forbidden);
  await lost.run("alerts set", { channel: lost.channel("deliveries") }).settled();
  const moved = await discord.waitFor(() => discord.messages(lost.channel("deliveries"))[0], "the notice", 15_000);
  at.screen("The new channel is told", "After `/alerts set` with another channel.", lost.show.message(moved));
  await discord.waitFor(() => discord.messages(lost.channel("deliveries"))[1], "the order that waited", 15_000);
  discord.deleteChannel(lost.channel("deliveries"));
  placeOrders(store, 1);
  const gone = lost.show.message(await told(2));
  at.screen("The channel is gone", "A private message to the server's owner.", gone);
  await lost.runs("Alerts status meanwhile", "alerts status");
  await lost.run("alerts off").settled();

  await wait(holdMs);
  await at.run("store settings", { privacy: "none" }).settled();
  await at.run("alerts set", { channel: at.channel("new-orders") }).settled();
  await bot.stop();
  await pretendOutage(world.database, at.guild.id);
  await store.down();
  const next = await world.start();
  at.screen(
    "The store is down",
    "After ten minutes, in #new-orders.",
    at.show.message(await at.posted("has given no usable answer")),
  );
  placeOrders(store, 3);
  await store.up();
  const back = await at.posted("The store is answering again", 30_000);
  at.screen("The store is back", "In #new-orders, after the orders of the meantime.", at.show.message(back));

  store.rotateToken("another-token-of-the-pretend-store-Ab3D");
  const refused = await at.posted("refuses the API token");
  at.screen("The token is refused", "In #new-orders.", at.show.message(refused));
  await at.runs("Store status meanwhile", "store status");
  const opener = at.run("store connect");
  await opener.answer();
  await at.shown("A new token", `${at.typed("store connect")}, with it.`, at.submit(opener, { token: store.token }));
  return next;
}

/** Makes the store's outage long enough for a notice, in the storage of a bot that does not run. */
async function pretendOutage(database: string, guildId: string): Promise<void> {
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const storage = await openStorage(`sqlite://${database}`, log);
  const troubles = storage.table(noticesTable);
  await troubles.set(guildId, {
    problems: { storeDown: { since: Date.now() - outageMs, told: false } },
  });
  await storage.close();
}
