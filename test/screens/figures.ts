import { createBotClock } from "../support/process/bot-clock.ts";
import { holdStore } from "../support/process/hold-store.ts";
import type { World } from "../support/process/world.ts";
import { type Book, connect, type Visit } from "./stage.ts";

/** All orders are of the second of March. */
const noon = Date.UTC(2026, 2, 2, 12, 0);
const hourMs = 60 * 60_000;

/** Figures that a person asks for, and those that come by themselves. The bot's clock begins at noon. */
export async function figures(world: World, at: Visit, book: Book): Promise<void> {
  const { discord, store } = world;
  const startedAt = Date.now();
  const clock = createBotClock(world.directory, noon - startedAt);
  const bot = await world.start(clock.environment);
  await connect(at, store.token);
  await at.run("store settings", { currency: "USD" }).settled();

  book.chapter("Figures", "Of the orders themselves, by the days of the server's time zone.");
  const today = await at.runs("Today so far", "stats", { period: "today" });
  await at.presses("What they are made of", today, "Details");
  await at.runs("The last 7 days", "stats", { period: "week" });
  await at.runs("A day without orders", "stats", { period: "yesterday" });
  const release = holdStore(store, { path: /checkout\/order$/ });
  at.run("stats", { period: "month" });
  const reading = await at.seen("Reading orders");
  at.screen("Figures that take long", at.typed("stats", { period: "month" }), at.show.message(reading));
  await at.presses("Cancelled", reading, "Cancel");
  release();
  const place = { channel: at.channel("new-orders"), every: "day", hour: 9 };
  const as = { channel: "#new-orders" };
  await at.runs("What is no time zone", "digest set", { ...place, timezone: "Mars" }, as);
  const how = `\`/digest set timezone: paulo\`, while it is typed.`;
  at.screen("Suggested time zones", how, await at.suggest("digest set", "timezone", "paulo"));
  await at.runs("Digests are on", "digest set", { ...place, timezone: "UTC" }, as);
  await clock.set(bot, noon - startedAt + 21 * hourMs + 1_000);
  const digest = await discord.waitFor(
    () => discord.messages(place.channel).find(({ attachments }) => attachments.length > 0),
    "the digest",
    30_000,
  );
  at.screen("A digest", "In #new-orders, at nine o'clock of the next day.", at.show.message(digest));
  await at.runs("Digests are off", "digest off");
  await bot.stop();
}
