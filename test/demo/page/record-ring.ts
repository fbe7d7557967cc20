import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Page as Tab } from "playwright-core";
import { type DemoLanguage, demoLanguages, inLanguage } from "../start-demo.ts";
import { type ShownDemo, showDemo } from "./open-browser.ts";

/** A still, and for how long it is shown. */
interface Frame {
  readonly path: string;
  readonly ms: number;
}

type Step = "quiet" | "ordered" | "rung" | "paid";
const captions: Readonly<Record<DemoLanguage, Readonly<Record<Step, string>>>> = {
  en: {
    quiet: "Your Discord channel, and a locked phone",
    ordered: "A customer orders in your store …",
    rung: "… and the phone rings: amount, payment, items",
    paid: "The customer pays: the message turns to paid, and the phone rings again",
  },
  "pt-BR": {
    quiet: "O seu canal do Discord e um celular bloqueado",
    ordered: "Um cliente faz um pedido na sua loja…",
    rung: "…e o celular toca: valor, pagamento, itens",
    paid: "O cliente paga: a mensagem passa a mostrar isso, e o celular toca de novo",
  },
  es: {
    quiet: "Tu canal de Discord y un teléfono bloqueado",
    ordered: "Un cliente hace un pedido en tu tienda…",
    rung: "…y el teléfono suena: importe, pago, artículos",
    paid: "El cliente paga: el mensaje lo muestra, y el teléfono vuelve a sonar",
  },
};

/** As wide as a README shows a picture, so that its letters keep their size; the phone has room beside the channel. */
const viewport = { width: 1440, height: 760 };
const scale = 1.4;
/** Moments of a push that slides in (phone.css). Its end is the next still. */
const slideMs = [60, 130, 220];
const frameMs = 70;
const readMs = 2_600;

const style = `
  .guide { display: none !important }
  #composer { visibility: hidden }
  #caption { position: fixed; left: 50%; bottom: 46px; translate: -50%; z-index: 9; white-space: nowrap;
    padding: 9px 18px; border-radius: 20px; background: #15172a; color: #fff; font-size: 17px }
`;

/** Shows a caption below the channel. */
const caption = (tab: Tab, text: string) =>
  tab.evaluate(`{
    const line = document.querySelector("#caption") ?? document.body.appendChild(document.createElement("p"));
    line.id = "caption";
    line.textContent = ${JSON.stringify(text)};
    const { left, right } = document.querySelector(".stage").getBoundingClientRect();
    line.style.left = (left + right) / 2 + "px";
  }`);

/**
 * Takes stills: an order arrives, the phone rings, the message turns to paid, and the phone rings again.
 * The bot must run and be set up. Afterwards it speaks `language`.
 */
async function recordRing(
  { demo, page, browser }: ShownDemo,
  directory: string,
  language: DemoLanguage,
): Promise<Frame[]> {
  await demo.speak(language);
  const says = captions[language];
  const { locale } = inLanguage[language];
  const context = await browser.newContext({ viewport, colorScheme: "light", locale, deviceScaleFactor: scale });
  const tab = await context.newPage();
  try {
    await tab.goto(page.url);
    await tab.locator("html[data-ready]").waitFor();
    await tab.addStyleTag({ content: style });
    await tab.locator("[data-push]").first().waitFor();
    const area = await tab.locator("main.chat, .stage").first().boundingBox();
    if (area === null) throw new Error("the page shows no channel");
    const clip = { x: area.x, y: 0, width: area.width, height: viewport.height - 32 };
    const frames: Frame[] = [];
    const shoot = async (ms: number) => {
      const path = join(directory, `ring-${language}-${String(frames.length).padStart(2, "0")}.png`);
      await tab.screenshot({ path, clip });
      frames.push({ path, ms });
    };
    const cards = tab.locator("discord-message");
    const rest = () => tab.evaluate("for (const one of document.getAnimations()) one.finish()");
    /** The newest push slides in again, step by step. */
    const slide = async () => {
      await tab.locator(".push.fresh").first().waitFor();
      await rest();
      await tab.evaluate(`{
        const { classList } = document.querySelector(".push");
        classList.remove("fresh");
        document.querySelector(".push").getBoundingClientRect();
        classList.add("fresh");
      }`);
      for (const ms of slideMs) {
        await tab.evaluate(`for (const one of document.querySelector(".push").getAnimations()) {
          one.pause();
          one.currentTime = ${ms};
        }`);
        await shoot(frameMs);
      }
      await rest();
    };

    await caption(tab, says.quiet);
    await rest();
    await shoot(1_600);
    await caption(tab, says.ordered);
    await shoot(1_500);
    const before = await cards.count();
    const { id } = demo.store.placeOrder();
    await cards.nth(before).waitFor();
    await caption(tab, says.rung);
    await slide();
    await shoot(readMs);
    const pushes = await tab.locator("[data-push]").first().getAttribute("data-push");
    demo.store.setStatus(id, "PAID");
    await tab.locator(`[data-push]:first-child:not([data-push="${pushes}"])`).waitFor();
    await cards.nth(before).getByText("🟢").first().waitFor();
    await caption(tab, says.paid);
    await slide();
    await shoot(readMs + 1_400);
    return frames;
  } finally {
    await context.close();
  }
}

/** An animated WebP. On Debian: `apt-get install webp`, and `fonts-noto-color-emoji` for the stills. */
async function toWebp(frames: readonly Frame[], path: string): Promise<void> {
  const args = frames.flatMap((frame) => ["-d", String(frame.ms), frame.path]);
  await promisify(execFile)("img2webp", ["-loop", "0", "-mixed", "-q", "80", "-m", "6", ...args, "-o", path]);
}

await using shown = await showDemo();
const stills = await mkdtemp(join(tmpdir(), "shopbell-ring-"));
try {
  const directory = resolve(import.meta.dirname, "../../../docs/images");
  for (const language of demoLanguages) {
    const path = join(directory, language === "en" ? "ring.webp" : `ring-${language}.webp`);
    await toWebp(await recordRing(shown, stills, language), path);
    console.log(path);
  }
} finally {
  await rm(stills, { recursive: true, force: true });
}
