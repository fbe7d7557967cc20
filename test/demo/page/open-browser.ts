import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { startDemo } from "../start-demo.ts";
import { servePage } from "./serve-page.ts";

const executablePath = "/usr/bin/chromium";

/** Whether there is a browser to open. On Debian: `apt-get install chromium`. */
export const hasBrowser = (): boolean => existsSync(executablePath);

/** A demo whose bot is set up, its page, and a browser that opens the page. */
export type ShownDemo = Awaited<ReturnType<typeof showDemo>>;

/** Starts a demo, sets its bot up, and opens a browser. */
export async function showDemo(options: Parameters<typeof startDemo>[0] = {}) {
  const demo = await startDemo(options);
  const [page, browser] = await Promise.all([servePage(demo), openBrowser(), demo.startBot()]);
  await demo.setUp();
  return {
    demo,
    page,
    browser,
    async [Symbol.asyncDispose](): Promise<void> {
      await browser.close();
      await page.close();
      await demo.close();
    },
  };
}

/** Opens Debian's Chromium with a new profile, and without connections to the outside. */
function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
