import type { Browser, BrowserContextOptions, Page as Tab } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, showDemo } from "../demo/page/open-browser.ts";
import type { Page } from "../demo/page/serve-page.ts";
import type { Demo } from "../demo/start-demo.ts";
import {
  alertOf,
  answers,
  button,
  command,
  faultsIn,
  heightOf,
  openPage,
  posted,
  typed,
} from "../support/process/demo-reader.ts";

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

describe.skipIf(!hasBrowser())("the demo page", () => {
  let demo: Demo;
  let page: Page;
  let browser: Browser;

  beforeAll(async () => {
    const running = await showDemo({ pollIntervalMs: 1_000 });
    ({ demo, page, browser } = running);
    return () => running[Symbol.asyncDispose]();
  });

  const open = (options?: BrowserContextOptions) => openPage(browser, page.url, options);
  it("gives the focus back to the line below the messages once a window is left by Escape", async () => {
    await using tab = await open();
    await command(tab, "/store connect");
    await tab.getByRole("dialog").getByRole("textbox").focus();
    await tab.keyboard.press("Escape");
    await tab.getByRole("dialog").waitFor({ state: "detached" });
    await tab.locator("#message:focus").waitFor();
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
  it("moves nothing for a reader who asked for less motion", async () => {
    await using calm = await open({ reducedMotion: "reduce" });
    await using lively = await open();
    const { id } = demo.store.placeOrder();
    for (const tab of [calm, lively]) await alertOf(tab, id).waitFor();
    const motion = (tab: Tab) => tab.evaluate(`getComputedStyle(document.querySelector(".push.fresh")).animationName`);

    expect([await motion(calm), await motion(lively)]).toEqual(["none", "slide-in"]);
  });

  it("starts over in another language: no text of the language before stays, and nobody is unknown", async () => {
    await using tab = await open();
    const { id } = demo.store.placeOrder();
    await alertOf(tab, id).waitFor();
    await using other = await open();
    await tab.getByLabel("Language", { exact: true }).selectOption("pt-BR");
    // Both are shown for some seconds only.
    await Promise.all([
      tab.getByText("A demonstração recomeçou. Idioma: Português.").waitFor(),
      other.getByText("The demo has started over. Language: Português.").waitFor(),
    ]);
    await tab.locator("discord-message").getByText("Isto é um exemplo").waitFor();
    expect(await tab.locator("discord-message").allTextContents()).not.toContainEqual(
      expect.stringMatching(/New order|Only you/),
    );
    expect(await tab.locator(".push-text").allTextContents()).not.toContainEqual(expect.stringContaining("New order"));

    await command(tab, "/loja registro", "Enviar");
    const log = answers(tab).last();
    await log
      .getByText("@dono")
      .or(log.locator("discord-mention", { hasText: "dono" }))
      .first()
      .waitFor();
    expect(await log.textContent()).not.toMatch(/unknown|desconhecido/);
  });

  it("has no accessibility fault, on a desktop and on a phone, light and dark", async () => {
    await using tab = await open({ reducedMotion: "reduce" });
    const expectNone = async (where: string, isDarkToo = true) => {
      await tab.emulateMedia({ colorScheme: "light" });
      expect(await faultsIn(tab), where).toEqual([]);
      if (!isDarkToo) return;
      // Only the colours are different on a dark page.
      await tab.emulateMedia({ colorScheme: "dark" });
      expect(await faultsIn(tab, ["color-contrast"]), `${where}, dark`).toEqual([]);
    };
    await command(tab, "/orders");
    await answers(tab).last().getByText("Orders").first().waitFor();
    await tab.locator("#tab-trouble").click();
    for (const [width, height] of [
      [1_280, 800],
      [390, 844],
    ] as const) {
      await tab.setViewportSize({ width, height });
      await typed(tab, "/store connect");
      await tab.locator(".guide-toggle").click();
      await expectNone(`the guide's steps and a command's form, ${width} wide`, width > 390);
      await tab.locator(".guide-toggle").click();
      await button(tab.locator("form.command-form"), "Send").click();
      await tab.getByRole("dialog").waitFor();
      await expectNone(`a window, ${width} wide`, width > 390);
      await tab.keyboard.press("Escape");
    }
    await tab.locator(".views [data-view=shop]").click();
    await expectNone("the shop");
  });

  it.each(languages)("speaks one language on the page, in alerts and in commands ($locale)", async (words) => {
    await using tab = await open();
    await tab.getByLabel("Language", { exact: true }).selectOption(words.locale);
    await tab.getByRole("heading", { name: words.store, exact: true }).waitFor();
    expect(await tab.locator("html").getAttribute("lang")).toBe(words.locale);

    await demo.speak(demo.language());
    const { id } = demo.store.placeOrder();
    expect((await posted(demo, id)).content).toMatch(words.placed);

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
    expect((await posted(demo, "Esto es una muestra")).content).toContain("€");
  });

  it("begins in the browser's language", async () => {
    await using tab = await open({ locale: "pt-PT" });
    await tab.getByRole("heading", { name: "A loja", exact: true }).waitFor();
    await demo.speak(demo.language());
    expect(demo.language()).toBe("pt-BR");

    const { id } = demo.store.placeOrder();
    expect((await posted(demo, id)).content).toContain("Novo pedido");
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
});
