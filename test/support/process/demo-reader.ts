import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Locator, Page as Tab } from "playwright-core";
import { expect } from "vitest";
import type { Demo } from "../../demo/start-demo.ts";
import { type ApiMessage, textOf } from "../../sandbox/discord/discord.ts";

/** Opens the page in a new profile, and waits until it shows the channel. An error in the page fails the test. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const tab = await context.newPage();
  const errors: string[] = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  tab.on("console", (line) => line.type() === "error" && errors.push(line.text()));
  tab.setDefaultTimeout(60_000);
  await tab.goto(url);
  await tab.locator("html[data-ready]").waitFor();
  return Object.assign(tab, {
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(errors.filter((error) => !error.includes("images.example"))).toEqual([]);
    },
  });
}

/** Faults by all rules of axe, or only by `rules`. */
export async function faultsIn(tab: Tab, rules?: string[]): Promise<{ id: string; at: string[] }[]> {
  // In this mode axe opens no blank page for the result. It reads no frames, and the page has none.
  const axe = new AxeBuilder({ page: tab }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
}

export const posted = ({ discord, guild }: Demo, text: string): Promise<ApiMessage> =>
  discord.waitFor(
    () => discord.messages(guild.channel("new-orders")).find((message) => textOf(message).includes(text)),
    `a message with ${text}`,
  );

/** In CSS pixels. One evaluation reads it, because a table may be drawn again at any time. */
export const heightOf = (tab: Tab, selector: string): Promise<number> =>
  tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().height`);

export const alertOf = (tab: Tab, id: string): Locator => tab.locator("discord-message").filter({ hasText: id });
export const answers = (tab: Tab): Locator => tab.locator("discord-message.ephemeral");
export const button = (within: Tab | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name, exact: true });

/** Types a command as a person does, up to its form. */
export async function typed(tab: Tab, text: string): Promise<Locator> {
  await tab.locator("#scroller").focus();
  await tab.keyboard.press("/");
  await tab.keyboard.type(text.slice(1));
  await tab.locator("#composer").getByRole("option").first().waitFor();
  await tab.keyboard.press("Enter");
  return tab.locator("form.command-form");
}

export const command = async (tab: Tab, text: string, send = "Send"): Promise<void> =>
  button(await typed(tab, text), send).click();
