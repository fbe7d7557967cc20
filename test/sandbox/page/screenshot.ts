import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { startDemo } from "../start-demo.ts";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";

const directory = resolve(import.meta.dirname, "../../../docs/images");
const pictures = [
  { file: "demo.png", width: 1440, height: 900, colorScheme: "light" },
  { file: "demo-dark.png", width: 1440, height: 900, colorScheme: "dark" },
  { file: "demo-phone.png", width: 390, height: 844, colorScheme: "light" },
] as const;

/** Makes the pictures of the demo page that the README shows: `node test/sandbox/page/screenshot.ts`. */
const demo = await startDemo();
const page = await servePage(demo);
const browser = await openBrowser();
try {
  await mkdir(directory, { recursive: true });
  await demo.startBot();
  await demo.setUp();
  const channel = demo.guild.channel("new-orders");
  const shown = (count: number) =>
    demo.discord.waitFor(
      () => (demo.discord.messages(channel).length >= count ? true : undefined),
      `${count} orders in #new-orders`,
      20_000,
    );
  const paid = demo.store.placeOrder();
  await shown(2);
  demo.store.setStatus(paid.id, "PAID");
  demo.store.placeOrder();
  await shown(3);
  await demo.discord.waitFor(
    () => demo.discord.messages(channel).find(({ edited_timestamp }) => edited_timestamp !== null),
    "the paid order's message to change",
    20_000,
  );
  for (const { file, width, height, colorScheme } of pictures) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: 2 });
    const tab = await context.newPage();
    await tab.goto(page.url);
    await tab.locator("discord-message").last().getByRole("button", { name: "Open" }).waitFor();
    // The entrance of what is new has to be over.
    await tab.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
    await tab.screenshot({ path: join(directory, file) });
    await context.close();
  }
} finally {
  await browser.close();
  await page.close();
  await demo.close();
}
