import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { type Demo, type DemoLanguage, demoLanguages, startDemo } from "../start-demo.ts";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";
import { pageLanguages } from "./snapshot.ts";

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

const desktop = { width: 1440, height: 900, colorScheme: "light" } as const;
const pictures: Readonly<Record<DemoLanguage, readonly Picture[]>> = {
  en: [
    { ...desktop, file: "demo.png" },
    { ...desktop, file: "demo-dark.png", colorScheme: "dark" },
    { file: "demo-phone.png", width: 390, height: 844, colorScheme: "light" },
  ],
  "pt-BR": [{ ...desktop, file: "demo-pt-BR.png" }],
  es: [{ ...desktop, file: "demo-es.png" }],
};

/** A new message in #new-orders that fits. */
function next({ discord, guild }: Demo, fits: (text: string) => boolean, what: string) {
  const channel = guild.channel("new-orders");
  const before = new Set(discord.messages(channel).map(({ id }) => id));
  return discord.waitFor(
    () => discord.messages(channel).find((message) => !before.has(message.id) && fits(JSON.stringify(message))),
    what,
    20_000,
  );
}

/** Two orders in #new-orders, of which the first was paid for: three rings. */
async function stage(demo: Demo): Promise<void> {
  const { store } = demo;
  const ring = () => {
    const { id } = store.placeOrder();
    return { id, rung: next(demo, (text) => text.includes(id), `order ${id} to ring`) };
  };
  const first = ring();
  await first.rung;
  const paid = next(demo, (text) => text.includes("💰"), "the paid order to ring");
  store.setStatus(first.id, "PAID");
  await paid;
  await ring().rung;
}

/** The demo's page in a language, once all that is new has come to rest. */
async function openStill(
  browser: Browser,
  url: string,
  language: DemoLanguage,
  { width, height, colorScheme }: Picture,
) {
  const viewport = { width, height };
  const locale = pageLanguages[language];
  const context = await browser.newContext({ viewport, colorScheme, locale, deviceScaleFactor: 1.5 });
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.locator("html[data-ready]").waitFor();
  await tab.locator("discord-message").last().locator(".md").first().waitFor();
  await tab.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))");
  return tab;
}

/**
 * Makes the pictures of the demo page that the README shows, in `directory`. Returns their paths. The bot of the demo
 * runs and is set up.
 */
export async function takePictures(
  demo: Demo,
  url: string,
  browser: Browser,
  directory: string,
  languages: readonly DemoLanguage[] = demoLanguages,
): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const paths: string[] = [];
  for (const language of languages) {
    await demo.speak(language);
    await stage(demo);
    for (const picture of pictures[language]) {
      const tab = await openStill(browser, url, language, picture);
      const path = join(directory, picture.file);
      await tab.screenshot({ path });
      paths.push(path);
      await tab.context().close();
    }
  }
  return paths;
}

/**
 * A picture of the locked phone alone: an order, its payment, a batch, and that the store refuses the token. Returns its
 * path. The store is connected again after.
 */
export async function takePhone(
  demo: Demo,
  url: string,
  browser: Browser,
  directory: string,
  language: DemoLanguage,
): Promise<string> {
  const { store } = demo;
  await mkdir(directory, { recursive: true });
  await demo.speak(language);
  await stage(demo);
  const batch = next(demo, (text) => text.includes("order:pick"), "a batch");
  store.placeOrders(8);
  await batch;
  const refused = next(demo, () => true, "the store's refusal to be told");
  const before = store.token;
  store.rotateToken(`${before}x`);
  await refused;
  const tab = await openStill(browser, url, language, { ...desktop, file: "" });
  const path = join(directory, `locked-phone-${language}.png`);
  await tab.locator(".phone").screenshot({ path });
  await tab.context().close();
  await demo.connect();
  return path;
}

if (import.meta.main) {
  const demo = await startDemo();
  const page = await servePage(demo);
  const browser = await openBrowser();
  try {
    await demo.startBot();
    await demo.setUp();
    const directory = resolve(import.meta.dirname, "../../../docs/images");
    for (const path of await takePictures(demo, page.url, browser, directory)) console.log(path);
    for (const language of demoLanguages) console.log(await takePhone(demo, page.url, browser, directory, language));
  } finally {
    await browser.close();
    await page.close();
    await demo.close();
  }
}
