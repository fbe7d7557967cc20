import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../demo/page/open-browser.ts";
import { recordRing } from "../demo/page/record-ring.ts";
import type { Page } from "../demo/page/serve-page.ts";
import type { Demo } from "../demo/start-demo.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { whenLong } from "../support/sized.ts";
import { alertOf, answers, button, command, openPage, startReadableDemo, typed } from "./demo-reader.ts";

if (!hasBrowser()) console.warn("The demo page is not tested: install a browser with apt-get install chromium");

describe.skipIf(!hasBrowser())("the demo page", () => {
  let demo: Demo;
  let page: Page;
  let browser: Browser;
  /** An order that was there when the bot was set up. */
  let known: string;

  beforeAll(async () => {
    const running = await startReadableDemo();
    ({ demo, page, browser } = running);
    known = demo.store.orders.at(-1)?.id ?? "";
    demo.store.placeOrder();
    return running.close;
  });

  const open = (options?: BrowserContextOptions) => openPage(browser, page.url, options);

  const newestOrder = () => demo.store.orders.at(-1)?.id ?? "";

  it("rings for an order that is placed on it", async () => {
    await using tab = await open();
    const before = demo.store.orders.length;
    await button(tab.locator("#panel-orders"), "Place an order").click();
    const placed = await demo.store.waitFor(() => demo.store.orders[before], "order from the page");
    await alertOf(tab, placed.id).waitFor();
  });

  it("shows the order's message change when it is marked as paid", async () => {
    await using tab = await open();
    const { id } = demo.store.placeOrder();
    await alertOf(tab, id).waitFor();
    await button(tab, `Paid order ${id.slice(0, 8)}`).click();
    await alertOf(tab, id)
      .getByText(/Paid ·/)
      .waitFor();
  });

  it("answers a pressed button in private", async () => {
    await using tab = await open();
    await button(tab.locator("discord-message").last(), "Open").click();
    await answers(tab).last().getByText("Only you can see this").waitFor();
    await tab.getByLabel("Speaking as").selectOption("staff");
    await answers(tab).waitFor({ state: "detached" });
  });

  it("lists orders with /orders, page by page, and opens one from the menu", async () => {
    await using tab = await open();
    await command(tab, "/orders");
    const list = answers(tab).last();
    await list.getByText("Orders · Page 1 of").waitFor();
    await button(list, "Next").click();
    await list.getByText("Orders · Page 2 of").waitFor();
    await list.getByRole("combobox").press("ArrowDown");
    await list.getByRole("combobox").press("Enter");
    await list.getByText("Payment:").waitFor();
  });

  it("offers choices while an option is typed, and holds back what Discord would refuse", async () => {
    await using tab = await open();
    const form = await typed(tab, "/order");
    await button(form, "Send").click();
    await form.getByText("This option is required.").waitFor();
    // What is suggested is kept for 20 s.
    await form.getByRole("combobox", { name: "id" }).fill(known.slice(0, 8));
    // Those of before it was typed have it, too, further down.
    await form
      .getByRole("option")
      .first()
      .filter({ hasText: known.slice(0, 8) })
      .waitFor();
    await tab.keyboard.press("Enter");
    await button(form, "Send").click();
    await answers(tab).last().getByText(known).waitFor();
  });

  it("adds a product with a stock file through the modal", async () => {
    await using tab = await open();
    const form = await typed(tab, "/add-product");
    await form.getByLabel("title").fill("Moonlight Racer <b>2</b>");
    await form.getByLabel("price").fill("24,50");
    await form.getByRole("combobox", { name: "category" }).focus();
    await form.getByRole("option").first().click();
    await button(form, "+ min-quantity").click();
    await form.getByLabel("min-quantity").fill("abc");
    await button(form, "Send").click();
    await form.getByText("A number goes here.").waitFor();
    await form.getByLabel("min-quantity").fill("2");
    await button(form, "Send").click();
    const modal = tab.getByRole("dialog");
    await modal.getByLabel("Description").fill("Fast cars under the moon.");
    await modal
      .getByLabel("Stock as a text file")
      .setInputFiles({ name: "keys.txt", mimeType: "text/plain", buffer: Buffer.from("AAA-1\nBBB-2\nCCC-3\n") });
    await button(modal, "Submit").click();
    await button(answers(tab).last(), "Create").click();
    await tab.getByRole("tab", { name: "Products" }).click();
    const row = tab.getByRole("row").filter({ hasText: "Moonlight Racer <b>2</b>" });
    await row.getByText("Stock, in lines: 3").waitFor();

    expect(demo.store.products.at(-1)?.submitted?.inventory).toMatchObject({ content: "AAA-1\nBBB-2\nCCC-3\n" });
  });

  it("refuses a member: no commands are offered, and a pressed button is answered so", async () => {
    await using tab = await open();
    await tab.getByLabel("Speaking as").selectOption("member");
    await tab.getByRole("combobox", { name: /^Message #/ }).fill("/orders");
    await tab.getByText("Discord offers no such command").waitFor();
    await tab.keyboard.press("Escape");
    await button(tab.locator("discord-message").last(), "Open").click();
    await answers(tab)
      .last()
      .getByText(/permission|Manage Server/i)
      .waitFor();

    expect(await answers(tab).last().textContent()).not.toContain("Payment:");
  });

  it("shows what the owner is told while the store is down, and that it works again after", async () => {
    await using tab = await open();
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

  it("rings once for an order in whose alert the bot was killed", async () => {
    await using tab = await open();
    await tab.getByRole("tab", { name: "Trouble" }).click();
    // The message is posted, but the bot dies before it learns of that.
    demo.discord.fail({ method: "POST", path: /^\/channels\/\d+\/messages$/, delayMs: 1_500, times: 1 });
    const posts = () => demo.discord.requests.filter(({ method, path }) => method === "POST" && /messages$/.test(path));
    const before = posts().length;
    const { id } = demo.store.placeOrder();
    await demo.discord.waitFor(() => (posts().length > before ? true : undefined), "the alert to be under way");
    await button(tab, "Kill the bot").click();
    await tab.locator("#status-bot").getByText("Bot not running").waitFor();
    await alertOf(tab, id).waitFor();
    await button(tab, "Start it again").click();
    await tab.locator("#status-bot").getByText("Bot running").waitFor();
    const next = demo.store.placeOrder();
    await alertOf(tab, next.id).waitFor();

    expect(await alertOf(tab, id).count()).toBe(1);

    await tab.locator("#status-owed").getByText("Alerts waiting: 0").waitFor();
  });

  it("shows what a customer or a product is called as text, whatever it is", async () => {
    await using tab = await open();
    const productTitle = '<img src=x onerror="document.title=1"> **[b](https://evil.example)** @everyone';
    const { id } = demo.store.placeOrder({
      items: [{ productId: demo.store.orders[0]?.id ?? "", productTitle, quantity: 1, price: 5 }],
    });
    await alertOf(tab, id).getByText('<img src=x onerror="document.title=1"> **[b](https').first().waitFor();

    expect(await alertOf(tab, id).locator("a").count()).toBe(0);
    expect(await tab.title()).toBe("Shopbell demo");
  });

  whenLong(() => {
    it("speaks the reader's language", async () => {
      await using tab = await open();
      await tab.getByLabel("Language").selectOption("pt-BR");
      await command(tab, "/pedidos", "Enviar");
      await answers(tab).last().getByText("Pedidos").first().waitFor();
    });

    it("answers what is sent while it changes its language, and leaves the answer there", async () => {
      await using tab = await open();
      const owner = demo.guild.person("owner");
      const sent = { by: owner, channelId: demo.guild.channel("staff"), locale: "es-ES", name: "orders" };
      await tab.getByLabel("Language", { exact: true }).selectOption("es-ES");
      await demo.discord.waitFor(() => (demo.language() === "es" ? true : undefined), "the change");
      await tab.evaluate(
        `fetch("/api/command", {
          method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(sent))} })`,
      );
      await demo.settled();
      await demo.discord.waitFor(
        () =>
          demo.discord
            .messagesFor(owner, demo.guild.channel("staff"))
            .find((message) => textOf(message).includes("Pedidos · Página 1")),
        "the list of orders",
      );
    });

    it("keeps a switch as it was thrown while older news of it still arrives", async () => {
      await using tab = await open();
      await tab.getByRole("tab", { name: "Trouble" }).click();
      const thrown = Promise.withResolvers<void>();
      await tab.route("**/api/trouble", async (route) => {
        await thrown.promise;
        await route.continue();
      });
      const slow = tab.getByRole("switch", { name: "The store is slow" });
      await slow.check();
      const { id } = demo.store.placeOrder();
      await alertOf(tab, id).waitFor();

      expect(await slow.isChecked()).toBe(true);

      const answered = tab.waitForResponse("**/api/trouble");
      thrown.resolve();
      await answered;
      await tab.unroute("**/api/trouble");
      await slow.uncheck();
    });

    it("gives the focus back to the line below the messages once a window is left by Escape", async () => {
      await using tab = await open();
      await command(tab, "/store connect");
      await tab.getByRole("dialog").getByRole("textbox").focus();
      await tab.keyboard.press("Escape");
      await tab.getByRole("dialog").waitFor({ state: "detached" });
      await tab.locator("#message:focus").waitFor();
    });

    it("is recorded for the README: an order, its ring, and its payment", async () => {
      const directory = await mkdtemp(join(tmpdir(), "shopbell-ring-"));
      const frames = await recordRing(demo, page.url, browser, directory, "en");
      const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

      const stills = await Promise.all(frames.map(({ path }) => readFile(path)));
      for (const still of stills) expect(still.subarray(0, 4)).toEqual(png);
      expect(new Set(stills.map((still) => still.toString("base64"))).size).toBe(frames.length);

      await rm(directory, { recursive: true });
    });

    it("fits a phone", async () => {
      await using tab = await open({ viewport: { width: 360, height: 740 }, hasTouch: true });
      const overflow = () => tab.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(await overflow()).toBeLessThanOrEqual(0);
      expect(await tab.locator("#message").getAttribute("placeholder")).toMatch(/^Message #[\w-]+, or \/$/);

      await button(tab, "Store").click();
      await button(tab.locator("#panel-orders"), "Place an order").click();
      expect(await overflow()).toBeLessThanOrEqual(0);

      await button(tab, "Discord").click();
      await alertOf(tab, newestOrder()).waitFor();
    });

    it("scrolls through 1,000 messages and stays live", async () => {
      const channel = demo.guild.channel("new-orders");
      const by = demo.guild.person("staff");
      for (let index = 1; index <= 1_000; index += 1) demo.discord.say(by, channel, `note ${index} of **many**`);
      await using tab = await open();
      await tab.locator("discord-message").filter({ hasText: "note 1000 of many" }).waitFor();

      await tab.locator("#scroller").focus();
      await tab.keyboard.press("Home");
      await tab
        .locator("discord-message")
        .filter({ hasText: /note 1 of many/ })
        .waitFor();
      await tab.evaluate("document.querySelector('#scroller').scrollTop = 0");
      const { id } = demo.store.placeOrder();
      const newer = button(tab, "Newer messages below");
      await newer.waitFor();
      await tab.locator("#message").fill("/orders");
      await tab.keyboard.press("Enter");
      await tab.locator(".command-form").waitFor();
      const [pill, form] = await Promise.all([newer.boundingBox(), tab.locator("#composer").boundingBox()]);
      expect((pill?.y ?? Number.NaN) + (pill?.height ?? 0)).toBeLessThanOrEqual(form?.y ?? 0);

      await newer.click();
      await alertOf(tab, id).waitFor();
      await button(tab.locator("#composer"), "Cancel").click();

      const toEnd = () =>
        tab.evaluate<number>(
          "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('#scroller'))",
        );
      await tab.evaluate("document.querySelector('#scroller').scrollTop = 0");
      await tab.locator("#message").fill("what the reader sends");
      await tab.keyboard.press("Enter");
      await tab.locator("discord-message").filter({ hasText: "what the reader sends" }).waitFor();
      await expect.poll(toEnd).toBeLessThan(2);

      for (let index = 1; index <= 20; index += 1) demo.discord.say(by, channel, `later ${index}`);
      await tab.locator("discord-message").filter({ hasText: "later 20" }).waitFor();
      await expect.poll(toEnd).toBeLessThan(2);
    });
  });

  it("lets nobody but itself control the demo", async () => {
    const { port } = new URL(page.url);
    const ask = (headers: Record<string, string>, method = "POST") =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = method === "POST" ? "/api/kill-bot" : "/events";
        const call = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
          response.destroy();
          resolve(response.statusCode);
        });
        call.once("error", reject).end(method === "POST" ? "{}" : undefined);
      });
    const json = { "content-type": "application/json", "content-length": "2" };
    const own = `http://127.0.0.1:${port}`;

    expect(await ask(json)).toBe(403);
    expect(await ask({ ...json, origin: "http://evil.example" })).toBe(403);
    expect(await ask({ ...json, origin: own, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await ask({ ...json, origin: own, host: `evil.example:${port}` })).toBe(403);
    expect(await ask({ host: `evil.example:${port}` }, "GET")).toBe(403);
    expect(await ask({ "sec-fetch-site": "cross-site" }, "GET")).toBe(403);
    expect(demo.botState()).toBe("running");
  });
});
