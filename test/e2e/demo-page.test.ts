import { readFile } from "node:fs/promises";
import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, showDemo } from "../demo/page/open-browser.ts";
import type { Page } from "../demo/page/serve-page.ts";
import type { Demo } from "../demo/start-demo.ts";
import { alertOf, answers, button, command, openPage, posted, typed } from "../support/process/demo-reader.ts";

if (!hasBrowser()) console.warn("The demo page is not tested: install a browser with apt-get install chromium");

describe.skipIf(!hasBrowser())("the demo page", () => {
  let demo: Demo;
  let page: Page;
  let browser: Browser;
  /** Placed before the bot was set up. */
  let known: string;

  beforeAll(async () => {
    const running = await showDemo({ pollIntervalMs: 1_000 });
    ({ demo, page, browser } = running);
    known = demo.store.orders.at(-1)?.id ?? "";
    demo.store.placeOrder();
    return () => running[Symbol.asyncDispose]();
  });

  // All these tests share one tab, because only the channel and the page's own controls matter to them.
  describe("to one reader", () => {
    let tab: Tab & AsyncDisposable;
    beforeAll(async () => {
      tab = await openPage(browser, page.url);
    });
    afterAll(() => tab[Symbol.asyncDispose]());

    it("offers choices while an option is typed, and holds back what Discord would refuse", async () => {
      const form = await typed(tab, "/order");
      await button(form, "Send").click();
      await form.locator("[name=id]:invalid:focus").waitFor();
      // Suggestions are kept for 20 s.
      await form.getByRole("combobox", { name: "id" }).fill(known.slice(0, 8));
      // The suggestions for the empty text have it, too, further down.
      await form
        .getByRole("option")
        .first()
        .filter({ hasText: known.slice(0, 8) })
        .waitFor();
      await tab.keyboard.press("Enter");
      await button(form, "Send").click();
      await answers(tab).last().getByText(known).waitFor();
      await answers(tab).last().getByText("Only you can see this").waitFor();
    });

    it("adds a product with a stock file through the modal", async () => {
      const form = await typed(tab, "/add-product");
      await form.getByLabel("title").fill("Moonlight Racer <b>2</b>");
      await form.getByLabel("price").fill("24,50");
      await form.getByRole("combobox", { name: "category" }).focus();
      await form.getByRole("option").first().click();
      await button(form, "+ min-quantity").click();
      await form.getByLabel("min-quantity").fill("1.5");
      await button(form, "Send").click();
      await form.locator("[name=min-quantity]:invalid:focus").waitFor();
      await form.getByLabel("min-quantity").fill("2");
      await button(form, "Send").click();
      const modal = tab.getByRole("dialog");
      const file = { name: "keys.txt", mimeType: "text/plain", buffer: Buffer.from("AAA-1\nBBB-2\n") };
      await modal.getByLabel("Stock as a text file").setInputFiles(file);
      await button(modal, "Submit").click();
      await button(answers(tab).last(), "Create").click();
      await tab.getByRole("tab", { name: "Products" }).click();
      const row = tab.getByRole("row").filter({ hasText: "Moonlight Racer <b>2</b>" });
      await row.getByText("Stock, in lines: 2").waitFor();
    });

    it("refuses a member: no commands are offered, and a pressed button is answered so", async () => {
      await tab.getByLabel("Speaking as").selectOption("member");
      await answers(tab).waitFor({ state: "detached" });
      await tab.getByRole("combobox", { name: /^Message #/ }).fill("/orders");
      await tab.getByText("Discord offers no such command").waitFor();
      await tab.keyboard.press("Escape");
      await button(tab.locator("discord-message").last(), "Open").click();
      await answers(tab)
        .last()
        .getByText(/permission|Manage Server/i)
        .waitFor();

      expect(await answers(tab).last().textContent()).not.toContain("Payment:");
      await tab.getByLabel("Speaking as").selectOption("owner");
    });

    it("shows what the owner is told while the store is down, and that it works again after", async () => {
      await tab.getByRole("tab", { name: "Trouble" }).click();
      await tab.getByRole("switch", { name: "The store is down" }).check();
      await command(tab, "/orders");
      const told = answers(tab).last();
      await told.getByText(/store/i).first().waitFor();

      expect(await told.textContent()).not.toMatch(/ECONNREFUSED|\bat \w+ \(/);

      await tab.getByRole("switch", { name: "The store is down" }).uncheck();
      await command(tab, "/orders");
      await answers(tab).last().getByText("Orders · Page 1 of").waitFor();
    });

    it("says that the bot was killed, and that it runs again", async () => {
      await tab.getByRole("tab", { name: "Trouble" }).click();
      await button(tab, "Kill the bot").click();
      await tab.locator("#status-bot").getByText("Bot not running").waitFor();
      const { id } = demo.store.placeOrder();
      await button(tab, "Start it again").click();
      await tab.locator("#status-bot").getByText("Bot running").waitFor();
      await alertOf(tab, id).waitFor();
      expect(await alertOf(tab, id).count()).toBe(1);
      await tab.locator("#status-owed").getByText("Alerts waiting: 0").waitFor();
    });

    it("shows what a customer or a product is called as text, whatever it is", async () => {
      const productTitle = '<img src=x onerror="document.title=1"> **[b](https://evil.example)** @everyone';
      const { id } = demo.store.placeOrder({
        items: [{ productId: demo.store.orders[0]?.id ?? "", productTitle, quantity: 1, price: 5 }],
      });
      await alertOf(tab, id).getByText('<img src=x onerror="document.title=1"> **[b](https').first().waitFor();

      expect(await alertOf(tab, id).locator("a").count()).toBe(0);
      expect(await tab.title()).toBe("Shopbell demo");
    });

    it("shows the newest message on the phone as a push, without markdown", async () => {
      const { id } = demo.store.placeOrder({
        items: [
          { productId: demo.store.orders[0]?.id ?? "", productTitle: "**Bold** _Deluxe_", quantity: 2, price: 5 },
        ],
      });
      await posted(demo, id);
      const push = tab.locator(".push").first();
      await push.getByText("2 × **Bold** _Deluxe_").waitFor();
      expect(await push.locator(".push-from").textContent()).toBe("Shopbell #new-orders, Pixel Keys");
      expect(await push.textContent()).toMatch(/^Discord\d{1,2}:\d\d/);
      expect(await tab.locator("#phone").getAttribute("aria-live")).toBe("polite");
    });
  });

  it("leads from nothing to a sample, an order, its payment and its list", async () => {
    await using tab = await openPage(browser, page.url);
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const next = tab.locator(".guide-bar .next");
    await button(tab, /All steps$/).click();
    await button(tab, "Start from nothing").click();
    const poll = tab.locator("#status-poll");
    await poll.waitFor({ state: "hidden" });
    await button(next.locator(".."), "Open /store connect").click();
    const modal = tab.getByRole("dialog");
    await button(modal, "Copy").click();
    await modal.getByRole("textbox").focus();
    await tab.keyboard.press("ControlOrMeta+v");
    await button(modal, "Submit").click();
    const sample = button(answers(tab).last(), "Send a sample");
    await sample.waitFor();
    await button(next.locator(".."), "Show the button").click();
    await answers(tab).last().locator("[data-custom-id^='store:sample']:focus").waitFor();
    await tab.keyboard.press("Enter");
    const pushes = tab.getByRole("list", { name: "Notifications on the locked phone" });
    await pushes.getByText("This is a sample").first().waitFor();
    await poll.waitFor();
    const placed = demo.store.orders.length;
    await button(next.locator(".."), "Place an order").click();
    await demo.store.waitFor(() => demo.store.orders[placed], "the order");
    await pushes.getByText("🔔 New order").last().waitFor();
    await button(next.locator(".."), "Show the button").click();
    await tab.locator("[data-custom-id^='order:take']:focus").waitFor();
    await tab.keyboard.press("Enter");
    await button(next.locator(".."), "Mark it paid").click();
    await pushes.getByText("💰 Paid order").first().waitFor();
    await button(next.locator(".."), "Open /alerts route add").click();
    await tab.keyboard.press("Enter");
    await answers(tab).last().getByText("Rule Wins created.").waitFor();
    await command(tab, "/alerts route list");
    await answers(tab).last().getByText("1. Wins").waitFor();
    await button(next.locator(".."), "Place an order").click();
    await tab.getByRole("heading", { name: "# wins" }).waitFor();
    await tab
      .locator("discord-message")
      .getByText(/^🛍️ Someone bought /)
      .waitFor();
    const removing = await typed(tab, "/alerts route remove");
    await removing.getByRole("combobox", { name: "name" }).fill("Wins");
    await button(removing, "Send").click();
    await answers(tab).last().getByText("Rule Wins deleted.").waitFor();
    await button(next.locator(".."), "Open /orders").click();
    await button(tab.locator("form.command-form"), "Send").click();
    await answers(tab).last().getByText("Orders · Page 1 of").waitFor();
    await command(tab, "/export products");
    const download = tab.waitForEvent("download");
    await answers(tab).last().getByRole("link", { name: "products-" }).click();
    expect(await readFile(await (await download).path(), "utf8")).toContain("categoryId,title");
    await button(next.locator(".."), "Open /import-products").click();
    const text = "title,price,categoryId\nKart Key,1.5,6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a02";
    const file = { name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await tab.locator("form.command-form input[type=file]").setInputFiles(file);
    await button(tab.locator("form.command-form"), "Send").click();
    await answers(tab).last().getByText("1 product in the file").waitFor();
    await button(answers(tab).last(), "Create").click();
    await answers(tab).last().getByText("Products created: 1").waitFor();
    await button(next.locator(".."), "Open /stats").click();
    const form = tab.locator("form.command-form");
    await form.getByLabel("period").selectOption("month");
    await button(form, "Send").click();
    const chart = answers(tab).last().getByRole("img", { name: "Bar chart of orders" });
    await chart.waitFor();
    expect(await chart.evaluate((image: { naturalWidth?: number }) => image.naturalWidth)).toBe(800);
    await button(next.locator(".."), "Show the switches").click();
    await tab.getByRole("switch", { name: "The store is down" }).waitFor();
  });
});
