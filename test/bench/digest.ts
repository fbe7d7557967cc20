import { storedSumsTable } from "../../src/reports/stored-sums.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { ApiMessage } from "../sandbox/discord/discord.ts";
import { exactly, line, type Report, rounded } from "../support/figure.ts";
import { createBotClock } from "../support/process/bot-clock.ts";
import { memoryOf } from "../support/process/process-usage.ts";
import { connectStore, createWorld, run, type World } from "../support/process/world.ts";

const orders = 50_000;
const longestMs = 16 * 60_000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const unsold = /PENDING|CANCEL|EXPIRED|REFUND|FAILED|REJECT|CHARGE|DISPUT/i;

function recount({ store }: World, day: string) {
  const orders = store.orders.filter(({ createdAt }) => String(createdAt).startsWith(day));
  const sold = orders.filter(({ status }) => !unsold.test(String(status)));
  const cents = sold.reduce((sum, { pricing }) => sum + Math.round(Number(pricing.total) * 100), 0);
  return `${orders.length} orders, ${sold.length} sold, ${cents} cents`;
}

/** The sums of a day that the bot stored. */
async function kept({ database, guild }: World, day: string) {
  const storage = await openStorage(`sqlite://${database}`, { warn: () => undefined });
  const found = await storage.table(storedSumsTable, guild.id).get(day);
  await storage.close();
  const { orders = 0, sold } = found?.sums ?? {};
  return `${orders} orders, ${sold?.count} sold, ${BigInt(sold?.amount ?? 0) / 1_000_000n} cents`;
}

export async function reportDigest(): Promise<Report> {
  await using world = await createWorld();
  const now = Date.now();
  const midnight = Math.floor(now / dayMs) * dayMs;
  const statuses = ["PAID", "PAID", "PENDING", "REFUNDED", "DELIVERED"];
  world.store.placeOrders(orders, (index) => ({
    status: statuses[index % statuses.length] ?? "PAID",
    createdAt: new Date(midnight + Math.floor(((now - midnight) * index) / orders)).toISOString(),
  }));
  const clock = createBotClock(world.directory);
  const bot = await world.start({ ...clock.environment, LOG_LEVEL: "info", POLL_SCHEDULE: "*/5 * * * * *" });
  await connectStore(world);
  const hour = new Date(now).getUTCHours();
  const place = { channel: world.guild.channel("new-orders"), every: "day", hour, timezone: "UTC" };
  await run(world, "digest set", place).settled();
  const before = await memoryOf(bot.pid);
  const startedAt = performance.now();

  await clock.set(bot, midnight + dayMs + hour * hourMs - Date.now() + 1_000);
  const isDigest = ({ attachments }: ApiMessage) => attachments.length > 0;
  const messages = () => world.discord.messages(world.guild.channel("new-orders"));
  await world.discord.waitFor(() => messages().find(isDigest), "the digest", longestMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await memoryOf(bot.pid);
  const asked = world.store.requests.length;
  const againAt = performance.now();
  await run(world, "stats", { period: "yesterday" }).settled();
  const againMs = performance.now() - againAt;
  const againRequests = world.store.requests.length - asked;
  const day = new Date(now).toISOString().slice(0, 10);
  await bot.stop();
  const [ours, theirs] = [await kept(world, day), recount(world, day)];
  return {
    title: "Digest",
    how: "A daily digest by the bot's own process, whose clock is set to its hour, at some 4.5 requests a second; its sums against a recount over what the store holds.",
    figures: [
      line(`${rounded(orders)} orders in a day: from its hour until the digest is posted`, seconds, "s"),
      line(`… sums that are not those of a recount (${theirs})`, Number(ours !== theirs), "days", {
        target: exactly(0),
      }),
      line("… memory at its highest beyond that before", after.peak - before.now, "MB"),
      line("`/stats yesterday` after that", againMs, "ms"),
      line("… requests to the store", againRequests, "requests", { target: exactly(0) }),
    ],
  };
}
