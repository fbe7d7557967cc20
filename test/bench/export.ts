import { csvRecords } from "../support/csv-reader.ts";
import { connectStore, createWorld, run } from "../support/world.ts";
import { memoryOf } from "./bot-process.ts";
import { exactly, type Figure, type Report, rounded } from "./figure.ts";

/** Longer than the 15 minutes that Discord gives. */
const longestMs = 16 * 60_000;

async function measure(orders: number): Promise<Figure[]> {
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
      const isOver = answer.requests.some(({ body }) => JSON.stringify(body ?? {}).includes(" decimal point"));
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
  return [
    {
      what: `${rounded(orders)} orders: in the file`,
      figure: ids.size,
      unit: "orders",
      target: exactly(ids.size, orders),
    },
    {
      what: "… requests to the store",
      figure: world.store.requests.length - asked,
      unit: "requests",
      baseline: `${orders / 100} pages`,
    },
    { what: "… until the file is there", figure: seconds, unit: "s" },
    {
      what: "… edits of the answer",
      figure: answer.requests.filter(({ method }) => method === "PATCH").length,
      unit: "requests",
    },
    { what: "… size of the file", figure: files.reduce((sum, { length }) => sum + length, 0) / 1e6, unit: "MB" },
    { what: "… memory at its highest beyond that before", figure: after.peak - before.now, unit: "MB" },
  ];
}

/** `/export orders` by the bot's own process. */
export async function reportExport(sizes: readonly number[]): Promise<Report> {
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await measure(size)));
  return {
    title: "Export",
    how: "`/export orders` by the bot's own process, against the pretend Discord and store. At most 4 requests a second after the first 30.",
    figures,
  };
}
