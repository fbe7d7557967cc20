import { setTimeout as wait } from "node:timers/promises";
import { alertBatchSize } from "../../src/views/alerts/alert-message.ts";
import { atMost, exactly, line, type Report, rounded } from "../support/figure.ts";
import { listenForOrders } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, setAlerts } from "../support/process/world.ts";

const orderCount = 1_000;
/** Discord's limit for one channel. */
const messagesPerWindow = 5;
const windowMs = 5_000;
const pollMs = 1_000;
const deadlineMs = 180_000;

/** Time from many orders in one moment until the last of them is in the channel. */
export async function reportBurst(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "warn" });
  await connectStore(world);
  await setAlerts(world);
  const channel = world.guild.channel("new-orders");
  // The message that alerts are on counts against the same limit.
  await wait(windowMs + 1_000);

  const rung = listenForOrders(world, channel);
  const messagesBefore = world.discord.messages(channel).length;
  const from = performance.now();
  const orders = world.store.placeOrders(orderCount);
  const isOver = () => new Set(rung.map(({ id }) => id)).size >= orderCount || undefined;
  await world.discord.waitFor(isOver, `${orderCount} orders in the channel`, deadlineMs);
  const first = rung[0]?.at ?? Number.NaN;
  const last = rung.at(-1)?.at ?? Number.NaN;
  // A doubled alert would come with the next polls.
  await wait(3 * pollMs);

  const messages = world.discord.messages(channel).length - messagesBefore;
  const fewest = Math.ceil(orderCount / alertBatchSize);
  const floor = ((Math.ceil(fewest / messagesPerWindow) - 1) * windowMs) / 1_000;
  const seconds = (last - first) / 1_000;
  const ids = rung.map(({ id }) => id);
  const none = { target: exactly(0) };
  return {
    title: `A burst of ${rounded(orderCount)} orders`,
    how: `All in one moment, through the bot's process, polls every second, the pretend Discord with the real limit of ${messagesPerWindow} messages in ${windowMs / 1_000} s per channel. The floor: ${fewest} messages of ${alertBatchSize} orders, ${messagesPerWindow} of them at once and ${messagesPerWindow} more every ${windowMs / 1_000} s.`,
    figures: [
      line("From the first message to the last", seconds, "s", { baseline: `floor ${rounded(floor)} s` }),
      line("… ratio to the floor", seconds / floor, "", { target: atMost(1.1) }),
      line("From the orders to the first message", (first - from) / 1_000, "s", {
        baseline: `poll every ${pollMs / 1_000} s`,
        target: atMost(pollMs / 1_000 + 1),
      }),
      line("Messages", messages, "messages", { baseline: `floor ${fewest}`, target: exactly(fewest) }),
      line("Lost", orders.filter(({ id }) => !ids.includes(id)).length, "orders", none),
      line("Doubled", ids.length - new Set(ids).size, "orders", none),
      line("Out of order", orders.filter(({ id }, index) => ids[index] !== id).length, "orders", none),
      line("Answers of 429", world.discord.requests.filter(({ status }) => status === 429).length, "answers", none),
    ],
  };
}
