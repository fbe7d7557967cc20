import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { type ApiMessage, customIdsOf, textOf } from "../../sandbox/discord/discord.ts";
import { categories } from "../../sandbox/store/start-store.ts";
import { holdStore } from "../../support/hold-store.ts";
import { type Demo, type DemoLanguage, inLanguage, startDemo } from "../start-demo.ts";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

/** The phone lies over the edge of the messages. */
const withoutPhone = ".phone { visibility: hidden }";
const asTallAsItsMessages = "discord-messages { min-height: 0 !important }";
const desktop = { width: 1440, height: 900, colorScheme: "light" } as const;
const digestPictures: readonly Picture[] = [
  { ...desktop, file: "digest.png" },
  { ...desktop, file: "digest-dark.png", colorScheme: "dark" },
  { file: "digest-phone.png", width: 390, height: 844, colorScheme: "light" },
];

/** A new message in #new-orders that fits. */
function next({ discord, guild }: Demo, fits: (text: string) => boolean, what: string, deadlineMs = 20_000) {
  const channel = guild.channel("new-orders");
  const before = new Set(discord.messages(channel).map(({ id }) => id));
  return discord.waitFor(
    () => discord.messages(channel).find((message) => !before.has(message.id) && fits(JSON.stringify(message))),
    what,
    deadlineMs,
  );
}

/** The demo's page in a language, once all that is new has come to rest. */
async function openStill(
  browser: Browser,
  url: string,
  language: DemoLanguage,
  { width, height, colorScheme }: Picture,
  now?: Date,
) {
  const viewport = { width, height };
  const locale = inLanguage[language].locale;
  const utc = now === undefined ? {} : { timezoneId: "UTC" };
  const context = await browser.newContext({ viewport, colorScheme, locale, deviceScaleFactor: 1.5, ...utc });
  const tab = await context.newPage();
  if (now !== undefined) await tab.clock.setFixedTime(now);
  await tab.goto(url);
  await tab.locator("html[data-ready]").waitFor();
  await tab.locator("discord-message").last().locator(".md").first().waitFor();
  await tab.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))");
  return tab;
}

/**
 * A picture of an import under way, as its owner sees it in #new-orders. Returns its path. The import goes on and ends before
 * this resolves.
 */
async function takeImport(
  demo: Demo,
  url: string,
  browser: Browser,
  directory: string,
  language: DemoLanguage,
): Promise<string> {
  const { discord, guild, store } = demo;
  await mkdir(directory, { recursive: true });
  await demo.speak(language);
  const owner = guild.person("owner");
  const [{ id: category }] = categories;
  const lines = Array.from({ length: 24 }, (_, at) => `${language} key ${at + 1},${at + 9}.9,${category}`);
  const file = discord.upload("products.csv", Buffer.from(["title,price,categoryId", ...lines].join("\n")), "text/csv");
  const channelId = guild.channel("new-orders");
  const place = { guildId: guild.id, channelId, locale: inLanguage[language].locale };
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
  discord.press(owner, preview, create, { locale: place.locale });
  await showing((message) => /^9 (?:of|de) 24 /m.test(textOf(message)), "an import under way");
  const tab = await openStill(browser, url, language, { ...desktop, file: "" });
  const path = join(directory, `import-${language}.png`);
  await tab.locator("discord-message").last().screenshot({ path, style: withoutPhone });
  await tab.context().close();
  release();
  await showing(({ attachments }) => attachments.length > 0, "the end of the import");
  return path;
}

/** A picture of #wins with three public lines more, as everybody reads it. Returns its path. */
async function takeFeed(demo: Demo, url: string, browser: Browser, directory: string): Promise<string> {
  const { discord, guild, store } = demo;
  await mkdir(directory, { recursive: true });
  await demo.speak("en");
  const channel = guild.channel("wins");
  const options = { name: "Wins", channel, style: "feed", amount: true };
  const owner = guild.person("owner");
  const place = { guildId: guild.id, channelId: guild.channel("staff"), name: "alerts" };
  await discord.command(owner, { ...place, subcommand: "route add", options }).settled();
  const before = discord.messages(channel).length;
  store.placeOrders(3);
  await discord.waitFor(() => discord.messages(channel)[before + 2], "three public lines", 20_000);
  const tab = await openStill(browser, url, "en", { ...desktop, file: "" });
  await tab.getByRole("button", { name: "wins" }).click();
  const path = join(directory, "feed.png");
  await tab.locator("discord-message").last().getByText("🛍️").waitFor();
  await tab.locator("discord-messages").screenshot({ path, style: `${withoutPhone} ${asTallAsItsMessages}` });
  await tab.context().close();
  await discord.command(owner, { ...place, subcommand: "route remove", options: { name: options.name } }).settled();
  return path;
}

/** A message is as tall as its figures: none of them is under the edge of the page. */
const tall = 2_600;
const digestHour = 9;
/** Until its hour a digest's bot is started and set up. */
const untilDigestMs = 45_000;
const hourMs = 60 * 60_000;

/**
 * Pictures of a daily digest on light, on dark and on a phone, in a demo of its own whose clocks stand shortly before its hour. Takes
 * a minute. Returns their paths.
 */
async function takeDigest(browser: Browser, directory: string): Promise<string[]> {
  const now = Date.now();
  const today = Math.floor(now / (24 * hourMs)) * 24 * hourMs;
  const dueAt = today + (24 + digestHour) * hourMs;
  const demo = await startDemo({ aheadMs: dueAt - untilDigestMs - now });
  const page = await servePage(demo);
  try {
    const { discord, guild } = demo;
    await mkdir(directory, { recursive: true });
    await demo.startBot();
    await demo.setUp();
    const channelId = guild.channel("new-orders");
    const place = { guildId: guild.id, channelId };
    const options = { channel: channelId, every: "day", hour: digestHour, timezone: "UTC" };
    await discord.command(guild.person("staff"), { ...place, name: "digest", subcommand: "set", options }).settled();
    await next(demo, (text) => text.includes("stats:today"), "the digest", 2 * untilDigestMs);
    const paths: string[] = [];
    for (const { file, ...picture } of digestPictures) {
      const tab = await openStill(
        browser,
        page.url,
        "en",
        { ...picture, height: tall, file },
        new Date(dueAt + 60_000),
      );
      const path = join(directory, file);
      await tab.locator("discord-message").last().screenshot({ path, style: withoutPhone });
      paths.push(path);
      await tab.context().close();
    }
    return paths;
  } finally {
    await page.close();
    await demo.close();
  }
}

if (import.meta.main) {
  const demo = await startDemo();
  const page = await servePage(demo);
  const browser = await openBrowser();
  try {
    await demo.startBot();
    await demo.setUp();
    const directory = resolve(import.meta.dirname, "../../../docs/images");
    for (const path of await takeDigest(browser, directory)) console.log(path);
    console.log(await takeImport(demo, page.url, browser, directory, "en"));
    console.log(await takeFeed(demo, page.url, browser, directory));
  } finally {
    await browser.close();
    await page.close();
    await demo.close();
  }
}
