import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { startDemo } from "../start-demo.ts";
import { servePage } from "./serve-page.ts";

const executablePath = "/usr/bin/chromium";

/** On Debian: `apt-get install chromium`. */
export const hasBrowser = (): boolean => existsSync(executablePath);

export type ShownDemo = Awaited<ReturnType<typeof showDemo>>;

/** Resolves when the bot is set up. */
export async function showDemo(options: Parameters<typeof startDemo>[0] = {}) {
  const demo = await startDemo(options);
  const [page, browser] = await Promise.all([servePage(demo), chromium.launch({ executablePath }), demo.startBot()]);
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
