import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { type Demo, startDemo } from "../start-demo.ts";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";

const pictures = [
  { file: "demo.png", width: 1440, height: 900, colorScheme: "light" },
  { file: "demo-dark.png", width: 1440, height: 900, colorScheme: "dark" },
  { file: "demo-phone.png", width: 390, height: 844, colorScheme: "light" },
] as const;

/** Two orders in #new-orders, of which the first was paid for. */
async function stage({ discord, store, guild }: Demo): Promise<void> {
  const channel = guild.channel("new-orders");
  const rung = (id: string) =>
    discord.waitFor(
      () => discord.messages(channel).find((message) => JSON.stringify(message.components).includes(id)),
      `order ${id} to ring`,
    );
  const paid = store.placeOrder();
  await rung(paid.id);
  store.setStatus(paid.id, "PAID");
  await rung(store.placeOrder().id);
  await discord.waitFor(
    () => discord.messages(channel).find(({ edited_timestamp }) => edited_timestamp !== null),
    "the paid order's message to change",
    20_000,
  );
}

/**
 * Makes the pictures of the demo page that the README shows, in `directory`. Returns their paths. The bot of the demo
 * runs and is set up.
 */
export async function takePictures(demo: Demo, url: string, browser: Browser, directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  await stage(demo);
  for (const { file, width, height, colorScheme } of pictures) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: 1.5 });
    const tab = await context.newPage();
    await tab.goto(url);
    await tab.locator("discord-message").last().getByRole("button", { name: "Open" }).waitFor();
    // The entrance of what is new has to be over.
    await tab.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished))");
    await tab.screenshot({ path: join(directory, file) });
    await context.close();
  }
  return pictures.map(({ file }) => join(directory, file));
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
  } finally {
    await browser.close();
    await page.close();
    await demo.close();
  }
}
