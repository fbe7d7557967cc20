import { join, resolve } from "node:path";
import { type ApiMessage, customIdsOf, textOf } from "../../sandbox/discord/discord.ts";
import { categories } from "../../sandbox/store/start-store.ts";
import { holdStore } from "../../support/process/hold-store.ts";
import { type ShownDemo, showDemo } from "./open-browser.ts";

const directory = resolve(import.meta.dirname, "../../../docs/images");
/** The phone covers the edge of the messages. */
const withoutPhone = ".phone { visibility: hidden }";
const asTallAsItsMessages = "discord-messages { min-height: 0 !important }";

/** Opens the demo's page in English. Resolves when nothing moves any more. `now` is the page's time, in UTC. */
async function openStill(
  { browser, page }: ShownDemo,
  { width = 1440, height = 900, colorScheme = "light" as "light" | "dark", now = undefined as Date | undefined } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    locale: "en-US",
    deviceScaleFactor: 1.5,
    ...(now && { timezoneId: "UTC" }),
  });
  const tab = await context.newPage();
  if (now) await tab.clock.setFixedTime(now);
  await tab.goto(page.url);
  await tab.locator("html[data-ready]").waitFor();
  await tab.locator("discord-message").last().locator(".md").first().waitFor();
  await tab.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))");
  return Object.assign(tab, { [Symbol.asyncDispose]: () => context.close() });
}

/** Shows an import under way, as its owner sees it. The import ends before this resolves. */
async function takeImport(shown: ShownDemo): Promise<void> {
  const { discord, guild, store } = shown.demo;
  const owner = guild.person("owner");
  const [{ id: category }] = categories;
  const lines = Array.from({ length: 24 }, (_, at) => `key ${at + 1},${at + 9}.9,${category}`);
  const file = discord.upload("products.csv", Buffer.from(["title,price,categoryId", ...lines].join("\n")), "text/csv");
  const channelId = guild.channel("new-orders");
  const place = { guildId: guild.id, channelId };
  const preview = await discord.command(owner, { ...place, name: "import-products", options: { file } }).settled();
  const showing = (fits: (message: ApiMessage) => boolean, what: string) =>
    discord.waitFor(
      () => discord.messagesFor(owner, channelId).find((message) => message.id === preview.id && fits(message)),
      what,
      30_000,
    );
  const before = store.products.length;
  const release = holdStore(store, { method: "POST", when: () => store.products.length - before === 9 });
  const [create = ""] = customIdsOf(preview);
  discord.press(owner, preview, create);
  await showing((message) => /^9 of 24 /m.test(textOf(message)), "an import under way");
  await using tab = await openStill(shown);
  const path = join(directory, "import-en.png");
  await tab.locator("discord-message").last().screenshot({ path, style: withoutPhone });
  release();
  await showing(({ attachments }) => attachments.length > 0, "the end of the import");
}

/** Shows #wins with three public lines, as everybody reads it. */
async function takeFeed(shown: ShownDemo): Promise<void> {
  const { discord, guild, store } = shown.demo;
  const channel = guild.channel("wins");
  const options = { name: "Wins", channel, style: "feed", amount: true };
  const place = { guildId: guild.id, channelId: guild.channel("staff") };
  const command = { ...place, name: "alerts", subcommand: "route add", options };
  await discord.command(guild.person("owner"), command).settled();
  store.placeOrders(3);
  await discord.waitFor(() => discord.messages(channel)[2], "three public lines", 20_000);
  await using tab = await openStill(shown);
  await tab.getByRole("button", { name: "wins" }).click();
  await tab.locator("discord-message").last().getByText("🛍️").waitFor();
  const style = `${withoutPhone} ${asTallAsItsMessages}`;
  await tab.locator("discord-messages").screenshot({ path: join(directory, "feed.png"), style });
}

const digestHour = 9;
/** Long enough to start the bot and set it up before the digest. */
const untilDigestMs = 45_000;
const dayMs = 24 * 60 * 60_000;

/** Light, dark and on a phone, in a demo whose clocks are shortly before the digest's hour. */
async function takeDigest(): Promise<void> {
  const now = Date.now();
  const dueAt = (Math.floor(now / dayMs) + 1) * dayMs + (digestHour / 24) * dayMs;
  await using shown = await showDemo({ aheadMs: dueAt - untilDigestMs - now });
  const { discord, guild } = shown.demo;
  const channelId = guild.channel("new-orders");
  const options = { channel: channelId, every: "day", hour: digestHour, timezone: "UTC" };
  const command = { guildId: guild.id, channelId, name: "digest", subcommand: "set", options };
  await discord.command(guild.person("staff"), command).settled();
  const isDigest = (message: ApiMessage) => JSON.stringify(message).includes("stats:today");
  await discord.waitFor(() => discord.messages(channelId).find(isDigest), "the digest", 2 * untilDigestMs);
  for (const [file, picture] of Object.entries({
    "digest.png": {},
    "digest-dark.png": { colorScheme: "dark" },
    "digest-phone.png": { width: 390 },
  } as const)) {
    // The page is so high that no part of the message is below its edge.
    await using tab = await openStill(shown, { ...picture, height: 2_600, now: new Date(dueAt + 60_000) });
    await tab
      .locator("discord-message")
      .last()
      .screenshot({ path: join(directory, file), style: withoutPhone });
  }
}

await takeDigest();
await using shown = await showDemo();
await takeImport(shown);
await takeFeed(shown);
console.log(directory);
