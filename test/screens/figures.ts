import { textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/bot-clock.ts";
import type { World } from "../support/world.ts";
import { answerOf, type Book, connect, type Visit } from "./stage.ts";

/** When the orders of these scenes are looked at: all of them are of the second of March. */
const noon = Date.UTC(2026, 2, 2, 12, 0);
const hourMs = 60 * 60_000;

/** Figures that are asked for, and that come by themselves, in a shop of its own; its bot's clock goes from noon on. */
export async function figures(world: World, at: Visit, book: Book): Promise<void> {
  const { discord, store } = world;
  const startedAt = Date.now();
  const clock = createBotClock(world.directory, noon - startedAt);
  const bot = await world.start(clock.environment);
  await connect(at, store.token);
  await at.run("store settings", { currency: "USD" }).settled();

  book.chapter("Figures", "Of the orders themselves, by the days of the server's time zone.");
  const today = await at.run("stats", { period: "today" }).settled();
  book.screen("Today so far", at.typed("stats", { period: "today" }), at.show.message(today));
  book.screen("What they are made of", "Press **Details**.", await answerOf(at, at.press(today, "Details")));
  for (const [title, period] of [
    ["The last 7 days", "week"],
    ["A day without orders", "yesterday"],
  ] as const) {
    book.screen(title, at.typed("stats", { period }), await answerOf(at, at.run("stats", { period })));
  }
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const undo = store.fail({ path: /checkout\/order$/, hold });
  at.run("stats", { period: "month" });
  const reading = await discord.waitFor(
    () =>
      discord
        .messagesFor(at.guild.person("owner"), at.channel("staff"))
        .find((message) => textOf(message).includes("Reading orders")),
    "how far the reading is",
  );
  book.screen("Figures that take long", at.typed("stats", { period: "month" }), at.show.message(reading));
  book.screen("Cancelled", "Press **Cancel**.", await answerOf(at, at.press(reading, "Cancel")));
  undo();
  release();
  const place = { channel: at.channel("new-orders"), every: "day", hour: 9 };
  const typed = { ...place, channel: "#new-orders", timezone: "Mars" };
  const wrong = at.run("digest set", { ...place, timezone: "Mars" });
  book.screen("What is no time zone", at.typed("digest set", typed), await answerOf(at, wrong));
  const how = `\`/digest set timezone: paulo\`, while it is typed.`;
  book.screen("Suggested time zones", how, await at.suggest("digest set", "timezone", "paulo"));
  const right = { ...typed, timezone: "UTC" };
  const set = await answerOf(at, at.run("digest set", { ...place, timezone: "UTC" }));
  book.screen("Digests are on", at.typed("digest set", right), set);
  await clock.set(bot, noon - startedAt + 21 * hourMs + 1_000);
  const digest = await discord.waitFor(
    () => discord.messages(place.channel).find(({ attachments }) => attachments.length > 0),
    "the digest",
    30_000,
  );
  book.screen("A digest", "In #new-orders, at nine o'clock of the next day.", at.show.message(digest));
  book.screen("Digests are off", at.typed("digest off"), await answerOf(at, at.run("digest off")));
  await bot.stop();
}
