import { csvRecords } from "../support/csv-reader.ts";
import { exactly, line, type Report, rounded, sum } from "../support/figure.ts";
import { memoryOf } from "../support/process/process-usage.ts";
import { connectStore, createWorld, run } from "../support/process/world.ts";

const orders = 50_000;
/** Longer than the 15 minutes that Discord gives. */
const longestMs = 16 * 60_000;

export async function reportExport(): Promise<Report> {
  await using world = await createWorld();
  world.store.placeOrders(orders);
  const bot = await world.start({ LOG_LEVEL: "info", POLL_SCHEDULE: "0 0 0 1 1 *" });
  await connectStore(world);
  const before = await memoryOf(bot.pid);
  const asked = world.store.requests.length;
  const startedAt = performance.now();

  const answer = run(world, "export orders");
  const messages = await world.discord.waitFor(
    () => {
      const sent = world.discord
        .messagesFor(world.guild.person("owner"), world.guild.channel("staff"))
        .filter(({ attachments }) => attachments.length > 0);
      const isOver = answer.requests.some(({ body }) => JSON.stringify(body ?? {}).includes("decimals use a point"));
      return isOver && sent.length > 0 ? sent : undefined;
    },
    "the file",
    longestMs,
  );

  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await memoryOf(bot.pid);
  const files = await Promise.all(
    messages.flatMap(({ attachments }) =>
      attachments.map(async ({ url }) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    ),
  );
  const ids = new Set(files.flatMap((file) => csvRecords(file.toString()).map(({ id }) => id)));
  return {
    title: "Export",
    how: "`/export orders` by the bot's own process, against the pretend Discord and store. At most 4 requests a second after the first 30.",
    figures: [
      line(`${rounded(orders)} orders: in the file`, ids.size, "orders", { target: exactly(orders) }),
      line("… requests to the store", world.store.requests.length - asked, "requests", {
        baseline: `${orders / 100} pages`,
      }),
      line("… until the file is there", seconds, "s"),
      line("… size of the file", sum(files.map(({ length }) => length)) / 1e6, "MB"),
      line("… memory at its highest beyond that before", after.peak - before.now, "MB"),
    ],
  };
}
