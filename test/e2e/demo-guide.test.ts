import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Browser, BrowserContextOptions, Page as Tab } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../demo/page/open-browser.ts";
import { takeDigest, takeFeed, takeImport } from "../demo/page/screenshot.ts";
import type { Page } from "../demo/page/serve-page.ts";
import type { Demo } from "../demo/start-demo.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { sized, whenLong } from "../support/sized.ts";
import { alertOf, answers, button, command, faultsIn, openPage, startReadableDemo, typed } from "./demo-reader.ts";

/** Texts that are different in each language of the page and of the bot. */
const languages = [
  {
    locale: "en-US",
    store: "The store",
    placed: /New order · \$\d+\.\d\d · /,
    orders: "/orders",
    connect: "/store connect",
    send: "Send",
    list: "Orders",
    stats: "/stats",
    week: "Last 7 days",
    people: ["owner", "staff", "member"],
  },
  {
    locale: "pt-BR",
    store: "A loja",
    placed: /Novo pedido · R\$\s\d+,\d\d · /,
    orders: "/pedidos",
    connect: "/loja conectar",
    send: "Enviar",
    list: "Pedidos",
    stats: "/estatísticas",
    week: "Últimos 7 dias",
    people: ["dono", "equipe", "membro"],
  },
  {
    locale: "es-ES",
    store: "La tienda",
    placed: /Pedido nuevo · \d+,\d\d\s€ · /,
    orders: "/pedidos",
    connect: "/tienda conectar",
    send: "Enviar",
    list: "Pedidos",
    stats: "/estadísticas",
    week: "Últimos 7 días",
    people: ["dueño", "equipo", "miembro"],
  },
] as const;

describe.skipIf(!hasBrowser())("the guide, the phone and the languages of the demo page", () => {
  let demo: Demo;
  let page: Page;
  let browser: Browser;

  beforeAll(async () => {
    const running = await startReadableDemo();
    ({ demo, page, browser } = running);
    return running.close;
  });

  const open = (options?: BrowserContextOptions) => openPage(browser, page.url, options);
  const posted = (text: string, deadlineMs?: number) =>
    demo.discord.waitFor(
      () => demo.discord.messages(demo.guild.channel("new-orders")).find((message) => textOf(message).includes(text)),
      `a message with ${text}`,
      deadlineMs,
    );
  /** In CSS pixels; read at once, as a table may be drawn again at any time. */
  const heightOf = (tab: Tab, selector: string) =>
    tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().height`);

  it("leads from nothing to a sample, an order, its payment and its list", async () => {
    await using tab = await open();
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
    expect(demo.arrives()).toBe(false);
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
    await button(next.locator(".."), "Open /import-products").click();
    const text = "title,price,categoryId\nKart Key,1.5,6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a02";
    const file = { name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await tab.locator("form.command-form input[type=file]").setInputFiles(file);
    await button(tab.locator("form.command-form"), "Send").click();
    await answers(tab).last().getByText("1 product in the file").waitFor();
    await button(answers(tab).last(), "Create 1 product").click();
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

  it("folds its steps on Escape and when something is typed elsewhere, and asks for suggestions with what is typed so far, also a word in place of a number", async () => {
    await using tab = await open();
    const steps = tab.locator("#guide-steps");
    await button(tab, /All steps$/).click();
    await steps.getByRole("button").first().focus();
    await tab.keyboard.press("Escape");
    await steps.waitFor({ state: "hidden" });
    await tab.locator(".guide-toggle:focus").waitFor();
    await tab.keyboard.press("Enter");
    await steps.waitFor();
    await tab.keyboard.press("/");
    await tab.locator("#composer").getByRole("option").first().waitFor();
    await steps.waitFor({ state: "hidden" });

    const form = await typed(tab, "/orders");
    await button(form, "+ page").click();
    await form.getByLabel("page").fill("abc");
    await button(form, "+ status").click();
    const asked = tab.waitForResponse("**/api/autocomplete");
    await form.getByRole("combobox", { name: "status" }).fill("pa");
    const response = await asked;

    expect(response.request().postDataJSON()).toMatchObject({ options: { page: "abc" } });
    expect(response.status()).toBe(200);

    await form.getByRole("option").first().waitFor();
  });

  it("shows the newest message on the phone as a push: names for mentions, no markdown, four lines at most", async () => {
    await using tab = await open();
    const { id } = demo.store.placeOrder({
      items: [{ productId: demo.store.orders[0]?.id ?? "", productTitle: "**Bold** _Deluxe_", quantity: 2, price: 5 }],
    });
    await posted(id);
    const push = tab.locator(".push").first();
    await push.getByText("2 × **Bold** _Deluxe_").waitFor();
    expect(await push.locator(".push-from").textContent()).toBe("Shopbell #new-orders, Pixel Keys");
    expect(await push.textContent()).toMatch(/^Discord\d{1,2}:\d\d/);
    expect(await tab.locator("#phone").getAttribute("aria-live")).toBe("polite");

    const source = "/page/phone.js";
    const shown = await tab.evaluate(
      `import("${source}").then(({ pushText }) => pushText("<@&1> **a** \\\\*b\\\\* <#2>\\n-# c <@3>", { role: () => "Sales", channel: () => "x", person: () => undefined }))`,
    );
    expect(shown).toBe("@Sales a *b* #x\nc @unknown");

    await push.locator(".push-text").evaluate((element) => {
      element.textContent = "word ".repeat(200);
    });
    expect(Math.round((await heightOf(tab, ".push-text")) / (13 * 1.35))).toBe(4);
  });

  it("starts over in another language: no text of the language before stays, and nobody is unknown", async () => {
    await using tab = await open();
    const { id } = demo.store.placeOrder();
    await alertOf(tab, id).waitFor();
    demo.arrive(true);
    await using other = await open();
    await tab.getByLabel("Language", { exact: true }).selectOption("pt-BR");
    await tab.getByText("A demonstração recomeçou. Idioma: Português.").waitFor();
    await other.getByText("The demo has started over. Language: Português.").waitFor();
    await tab.locator("discord-message").getByText("Isto é um exemplo").waitFor();
    expect(await tab.locator("discord-message").allTextContents()).not.toContainEqual(
      expect.stringMatching(/New order|Only you/),
    );
    expect(await tab.locator(".push-text").allTextContents()).not.toContainEqual(expect.stringContaining("New order"));
    expect(demo.arrives()).toBe(false);

    await command(tab, "/loja registro", "Enviar");
    const log = answers(tab).last();
    await log
      .getByText("@dono")
      .or(log.locator("discord-mention", { hasText: "dono" }))
      .first()
      .waitFor();
    expect(await log.textContent()).not.toMatch(/unknown|desconhecido/);
  });

  it.each(languages.slice(0, sized(1, languages.length)))(
    "has no accessibility fault, on a desktop and on a phone, light and dark ($locale)",
    { timeout: 120_000 },
    async ({ locale, orders, connect, send, list }) => {
      await using tab = await open({ locale, reducedMotion: "reduce" });
      const expectNone = async (where: string, isDarkToo = true) => {
        await tab.emulateMedia({ colorScheme: "light" });
        expect(await faultsIn(tab), where).toEqual([]);
        if (!isDarkToo) return;
        // Only the colours are different on a dark page.
        await tab.emulateMedia({ colorScheme: "dark" });
        expect(await faultsIn(tab, ["color-contrast"]), `${where}, dark`).toEqual([]);
      };
      await command(tab, orders, send);
      await answers(tab).last().getByText(list).first().waitFor();
      await tab.locator("#tab-trouble").click();
      for (const [width, height] of [
        [1_280, 800],
        [390, 844],
      ] as const) {
        await tab.setViewportSize({ width, height });
        await typed(tab, connect);
        await tab.locator(".guide-toggle").click();
        await expectNone(`the guide's steps and a command's form, ${width} wide`, width > 390);
        await tab.locator(".guide-toggle").click();
        await button(tab.locator("form.command-form"), send).click();
        await tab.getByRole("dialog").waitFor();
        await expectNone(`a window, ${width} wide`, width > 390);
        await tab.keyboard.press("Escape");
      }
      for (const view of ["shop", "server"]) {
        await tab.locator(`.views [data-view=${view}]`).click();
        await expectNone(view, view === "shop");
      }
    },
  );

  whenLong(() => {
    it("moves nothing for a reader who asked for less motion", async () => {
      await using calm = await open({ reducedMotion: "reduce" });
      await using lively = await open();
      const { id } = demo.store.placeOrder();
      for (const tab of [calm, lively]) await alertOf(tab, id).waitFor();
      const motion = (tab: Tab) =>
        tab.evaluate(`getComputedStyle(document.querySelector(".push.fresh")).animationName`);

      expect([await motion(calm), await motion(lively)]).toEqual(["none", "slide-in"]);
    });

    it.each(languages)("speaks one language on the page, in alerts and in commands ($locale)", async (words) => {
      await using tab = await open();
      await tab.getByLabel("Language", { exact: true }).selectOption(words.locale);
      await tab.getByRole("heading", { name: words.store, exact: true }).waitFor();
      expect(await tab.locator("html").getAttribute("lang")).toBe(words.locale);

      await demo.speak(demo.language());
      const { id } = demo.store.placeOrder();
      expect((await posted(id)).content).toMatch(words.placed);

      await tab.locator(".push").first().getByText(words.placed).waitFor();
      const earlier = await answers(tab).count();
      await command(tab, words.orders, words.send);
      const answer = answers(tab).nth(earlier);
      await answer.getByText(words.list).first().waitFor();
      expect(await answer.locator(".used code").textContent()).toBe(words.orders);
      expect(await tab.locator("#persona option").allTextContents()).toEqual(words.people);
      const periods = (await typed(tab, words.stats)).locator("option");
      expect(await periods.allTextContents()).toContain(words.week);
    });

    it("changes its language where the bot was killed, once it runs again", async () => {
      await demo.speak("en");
      await demo.killBot();
      await demo.speak("es");
      await demo.startBot();
      expect((await posted("Esto es una muestra", 1_000)).content).toContain("€");
    });

    it("begins in the browser's language", async () => {
      await using tab = await open({ locale: "pt-PT" });
      await tab.getByRole("heading", { name: "A loja", exact: true }).waitFor();
      await demo.speak(demo.language());
      expect(demo.language()).toBe("pt-BR");

      const { id } = demo.store.placeOrder();
      expect((await posted(id)).content).toContain("Novo pedido");
    });

    it.each(languages)("breaks no order's id and no word, at any width ($locale)", async ({ locale }) => {
      await using tab = await open({ locale });
      demo.store.placeOrder({ paymentMethod: "CREDIT_CARD" });
      for (const [width, height] of [
        [1_440, 900],
        [1_280, 800],
        [1_000, 800],
        [390, 844],
      ] as const) {
        await tab.setViewportSize({ width, height });
        if (width < 860) await tab.locator(".views [data-view=shop]").click();
        expect(await heightOf(tab, ".order-head code"), `an id at ${width}`).toBeLessThan(24);
        const beyond = await tab.evaluate(`[...document.querySelectorAll("td > *, td time, td .note")].filter((part) =>
          part.getBoundingClientRect().right > part.closest("td").getBoundingClientRect().right + 1).length`);
        expect(beyond, `what runs over its cell at ${width}`).toBe(0);
        expect(await tab.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      }
    });

    it("leaves the alerts in view on a phone, and runs over no edge", async () => {
      await using tab = await open({ viewport: { width: 390, height: 844 }, locale: "es-ES", hasTouch: true });
      expect(await heightOf(tab, "#guide")).toBeLessThan(844 / 10);
      expect(await heightOf(tab, "#scroller")).toBeGreaterThan(844 / 2);
      expect(await tab.evaluate("document.querySelector('#scroller').scrollWidth - innerWidth")).toBeLessThanOrEqual(0);

      await button(tab, /Todos los pasos$/).click();
      expect(await heightOf(tab, "#scroller")).toBeGreaterThan(844 / 2);
      expect(await tab.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    });

    it("makes the picture of an import under way", async () => {
      const directory = await mkdtemp(join(tmpdir(), "shopbell-import-"));
      const path = await takeImport(demo, page.url, browser, directory, "en");
      expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
      await rm(directory, { recursive: true });
    });

    it("makes the picture of public lines, which stand below what came later on the phone", async () => {
      const directory = await mkdtemp(join(tmpdir(), "shopbell-feed-"));
      const path = await takeFeed(demo, page.url, browser, directory);
      expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
      const { id } = demo.store.placeOrder();
      await posted(id);
      await using tab = await open();
      const [newest, ...below] = await tab.locator(".push-from").allTextContents();
      expect(newest).toBe("Shopbell #new-orders, Pixel Keys");
      expect(below).toContain("Shopbell #wins, Pixel Keys");
      await rm(directory, { recursive: true });
    });

    it("makes the pictures of a digest", { timeout: 150_000 }, async () => {
      const directory = await mkdtemp(join(tmpdir(), "shopbell-digest-"));
      const paths = await takeDigest(browser, directory);
      const sizes = await Promise.all(paths.map(async (path) => (await readFile(path)).readUInt32BE(16)));
      expect(paths.map((path) => basename(path))).toEqual(["digest.png", "digest-dark.png", "digest-phone.png"]);
      expect(sizes[0]).toBe(sizes[1]);
      expect(sizes[2]).toBeLessThan(sizes[0] ?? 0);
      await rm(directory, { recursive: true });
    });
  });
});
