import { expect, test } from "vitest";
import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/process/bot-clock.ts";
import { told } from "../support/process/checks.ts";
import { yearly } from "../support/process/polls.ts";
import { connectStore, createWorld, run, type World } from "../support/process/world.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** The hour (UTC) that begins next. */
const nextHour = () => {
  const at = Math.ceil(Date.now() / hourMs) * hourMs;
  return { hour: new Date(at).getUTCHours(), inMs: at - Date.now() };
};

const channel = (world: World) => world.guild.channel("new-orders");
const markOf = (message: ApiMessage) =>
  /"custom_id":"(stats:today:[^"]+)"/.exec(JSON.stringify(message.components))?.[1];
const digests = (world: World) =>
  world.discord.messages(channel(world)).filter((message) => markOf(message) !== undefined);
const set = (world: World, options: Record<string, string | number>) =>
  run(world, "digest set", { channel: channel(world), every: "day", ...options });

/** The store had 3 orders yesterday, by the clock that the bot is restarted with. */
async function ready(world: World) {
  let bot = await world.start();
  await connectStore(world);
  world.store.placeOrders(3, () => ({
    status: "PAID",
    items: [{ productId: "", productTitle: "[x](https://evil.example) @everyone", quantity: 1, price: 5 }],
  }));
  // If the clock is set while the bot runs, the lease ends, and polls go on only some 10 s later.
  return async (aheadMs: number) => {
    await bot.stop();
    const { environment } = createBotClock(world.directory, aheadMs);
    // The polls of the start and of a command come before the hour, and the next ones a year later.
    bot = await world.start({ ...environment, POLL_SCHEDULE: yearly });
  };
}

test("a digest has yesterday's figures posted at its hour, although polls are made once a year, with what its chart shows in words; and without it where files may not be attached", async () => {
  await using world = await createWorld();
  const restart = await ready(world);
  const { hour, inMs } = nextHour();
  // By the bot's clock, the orders are of the day before. After 23:00 the next hour is that of tomorrow.
  await restart((hour === 0 ? inMs : inMs + dayMs) - 10_000);
  const answer = textOf(await set(world, { hour, timezone: "Etc/UTC" }).settled());
  expect(answer).toMatch(/^✅ Daily digest on in <#\d+>. Next one: <t:\d+:f>\.\nTime zone: \*\*/);
  expect(answer).toMatch(/\n⚠️ Everyone in this server can read <#\d+> and will see how much the store sells\./);
  const message = await world.discord.waitFor(() => digests(world)[0], "the digest");

  expect(message.content).toMatch(/^📊 \*\*.+\*\*: orders 3 · sold /);
  const [embed] = message.embeds;
  expect(embed?.description).toContain("**Orders:** 3 · previous day: 0");
  expect(embed?.description).toContain("**Waiting for payment:** 0 · 0");
  expect(embed?.description).not.toContain("late");
  const [file] = message.attachments;
  expect(file).toMatchObject({ content_type: "image/png", description: expect.stringMatching(/^Bar chart of /) });
  const bytes = Buffer.from(await (await fetch(file?.url ?? "")).arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(message.mention_everyone).toBe(false);

  const details = world.discord.press(world.guild.person("owner"), message, "Details");
  expect(textOf(await details.settled())).toContain("[x]\\(https\\://evil.example) \\@everyone × 3");
  const unseen = world.discord.press(world.guild.person("member"), message, "Details");
  expect(await told(unseen)).toMatch(/^⚠️ Only members with the Manage Server permission/);
  const press = world.discord.press(world.guild.person("owner"), message, "Today so far");
  expect(textOf(await press.settled())).toContain("No orders in this period.");
  const refused = world.discord.press(world.guild.person("member"), message, "Today so far");
  expect(await told(refused)).toMatch(/^⚠️ Only members with the Manage Server permission/);

  world.discord.fail({
    method: "POST",
    path: /messages$/,
    when: ({ files }: { files?: readonly unknown[] }) => (files ?? []).length > 0,
    status: 403,
    body: { message: "Missing Permissions", code: 50013 },
  });
  await restart(inMs + 2 * dayMs + 1_000);
  const next = await world.discord.waitFor(() => digests(world)[1], "the digest without files");
  expect(next.attachments).toEqual([]);
});
