import { describe, expect, it, vi } from "vitest";
import { categories } from "../../sandbox/store/start-store.ts";
import { codeOf } from "../../support/code-of.ts";
import { textOf } from "../../support/views-support.ts";
import { buttonsOf, options, owner, prefilled, STOCK, useShop } from "./add-product-support.ts";

const windows = ["Title and price", "Pictures and video", "Options"] as const;
const creation = { method: "POST", path: /catalog\/product$/ };
const listing = { method: "GET", path: /catalog\/product$/ };
const other = categories[1].id as string;

const shop = useShop();

const speak = (settings: { language: "en" | "pt-BR" | "es"; currency?: string }) =>
  shop.services().guilds.update(owner.guildId, (guild) => ({ ...guild, settings: { ...guild.settings, ...settings } }));
const submitted = () => shop.pretend.products.at(-1)?.submitted;

it("prices as text that can be read in two ways are pointed out until they are edited", async () => {
  await speak({ language: "pt-BR", currency: "BRL" });
  const preview = await shop.preview({ price: "1.234", "compare-at": "2.345" });
  expect(textOf(preview)).toContain("`1.234` was understood as **1,234.00**");
  expect(textOf(preview)).toContain("`2.345` was understood as **2,345.00**");

  shop.restart();
  const modal = await shop.pressForModal(preview, "Title and price");
  expect(prefilled(modal)).toMatchObject({ price: "1234,00", "compare-at": "2345,00" });

  const edited = await shop.submit(modal, { fields: { price: "1,23" } });
  expect(textOf(edited)).not.toContain("1.234");
  expect(textOf(edited)).toContain("`2.345` was understood as");

  const without = await shop.submit(await shop.pressForModal(edited, "Title and price"), {
    fields: { "compare-at": "" },
  });
  expect(textOf(without)).not.toContain("understood");

  await shop.press(without, "Create");
  expect(submitted()?.pricing).toEqual({ price: 1.23 });
});

describe("the windows behind the preview", () => {
  it("edit everything that the command's options say", async () => {
    shop.pretend.addProduct({
      categoryId: other,
      info: { title: "Older one", description: "", images: [], slug: "x" },
    });
    let message = await shop.preview({ "compare-at": "15", image: "https://images.example/a.png", chat: true });
    const basics = await shop.pressForModal(message, "Title and price");
    expect(prefilled(basics)).toEqual({
      title: "Moon Racer",
      price: "9.90",
      "compare-at": "15.00",
      category: options.category,
      "category-id": "",
    });
    expect(JSON.stringify(basics)).toContain("Older one");

    const fields = { title: " Moon Racer 2 ", price: "24,50", "compare-at": "R$ 30", category: other };
    message = await shop.submit(basics, { fields });
    expect(textOf(message)).toContain("### Moon Racer 2\n**24.50** ~~30~~");
    expect(textOf(message)).toContain("Older one");

    const media = await shop.pressForModal(message, "Pictures and video");
    expect(prefilled(media)).toEqual({ image: "https://images.example/a.png", youtube: "" });

    const images = ["https://images.example/b.png", "https://images.example/c.png"];
    const links = { image: images.join("\n"), youtube: "https://youtu.be/abc" };
    message = await shop.submit(media, { fields: links });

    const chosen = await shop.pressForModal(message, "Options");
    const unset = { "min-quantity": "", "hide-sales": "unset", "hide-product": "unset" };
    expect(prefilled(chosen)).toEqual({ ...unset, chat: "yes" });

    const choices = { "min-quantity": "3", "hide-sales": "yes", "hide-product": "no", chat: "unset" };
    message = await shop.submit(chosen, { fields: choices });
    await shop.press(message, "Create");
    expect(submitted()).toEqual({
      type: "DEFAULT",
      categoryId: other,
      info: { title: "Moon Racer 2", images, youtubeLink: "https://youtu.be/abc" },
      pricing: { price: 24.5, comparation: 30 },
      inventory: { type: "SERIAL", content: STOCK },
      utils: { hideSales: true, hideProduct: false, minQuantity: 3 },
    });
  });

  it("remove what is emptied, and keep what is not changed", async () => {
    const links = { image: "https://images.example/a.png", youtube: "https://youtu.be/a" };
    const values = { ...links, "compare-at": 12, "min-quantity": 2, "hide-sales": false };
    let message = await shop.preview(values);
    for (const label of windows) message = await shop.submit(await shop.pressForModal(message, label));
    await shop.press(message, "Create");
    const before = submitted();
    expect(before).toMatchObject({
      pricing: { price: 9.9, comparation: 12 },
      utils: { minQuantity: 2, hideSales: false },
    });

    message = await shop.preview(values);
    const empty = { "compare-at": "", image: " ", youtube: "", "min-quantity": "", "hide-sales": "unset" };
    for (const label of windows)
      message = await shop.submit(await shop.pressForModal(message, label), { fields: empty });
    await shop.press(message, "Create");
    const without = { info: { title: "Moon Racer" }, pricing: { price: 9.9 }, utils: undefined };
    expect(submitted()).toEqual({ ...before, ...without });
  });

  it("take a pasted category before a chosen one", async () => {
    const modal = await shop.pressForModal(await shop.preview(), "Title and price");
    const pasted = "6F1C2A34-8B1D-4C53-9A57-0D2F6C1E7A0F";
    const edited = await shop.submit(modal, { fields: { category: other, "category-id": `id: ${pasted}` } });
    await shop.press(edited, "Create");
    expect(submitted()?.categoryId).toBe(pasted);
  });

  it("keep an unchanged price with more decimals than are accepted", async () => {
    const { drafts } = shop.services();
    const product = { type: "DEFAULT", categoryId: options.category, info: { title: "Old" } } as const;
    const rest = { pricing: { price: 9.999 }, inventory: { type: "SERIAL" } } as const;
    await speak({ language: "pt-BR" });
    const name = await drafts.keep(owner, { stage: "open", product: { ...product, ...rest } });
    const message = await shop.preview();
    const asOther = JSON.parse(JSON.stringify(message).replaceAll(/(add-product:\w+:)[\w-]{12}/g, `$1${name}`));
    const modal = await shop.pressForModal(asOther, "Title and price");
    const edited = await shop.submit(modal, { fields: { title: "New" } });
    await shop.press(edited, "Create");

    expect(submitted()).toMatchObject({ info: { title: "New" }, pricing: { price: 9.999 } });
  });

  it("open while the store does not answer, and so does the preview", async () => {
    shop.pretend.fail({ ...listing, hold: new Promise(() => undefined) });
    /** Lets the time for the names of categories pass, in steps, because other timers may begin before it. */
    const unanswered = async <T>(show: () => Promise<T>) => {
      let isShown = false;
      const shown = show().finally(() => {
        isShown = true;
      });
      const step = () => {
        vi.advanceTimersByTime(500);
        return isShown;
      };
      await expect.poll(step).toBe(true);
      return shown;
    };
    const message = await unanswered(() => shop.preview());
    expect(textOf(message)).toContain(options.category);
    const modal = await unanswered(() => shop.pressForModal(message, "Title and price"));
    expect(prefilled(modal).category).toBe(options.category);
  });
});

const basics = { title: "Moon Racer 3", price: "5", "compare-at": "", category: options.category, "category-id": "" };

describe("a rejected text need not be typed twice (0.1.0: it was lost)", () => {
  it.each([
    ["Title and price", { ...basics, price: "free", "compare-at": "12,5" }],
    ["Title and price", { ...basics, title: "\u200b" }],
    ["Title and price", { ...basics, "category-id": "games" }],
    ["Pictures and video", { image: "https://images.example/a.png kart.png", youtube: "https://youtu.be/abc" }],
    ["Pictures and video", { image: "", youtube: "https://vimeo.com/1" }],
    ["Options", { "min-quantity": "many", "hide-sales": "yes", "hide-product": "no", chat: "no" }],
  ])("%s opens with %j again, and changes nothing before that", async (label, fields) => {
    const before = await shop.preview();
    const refused = await shop.submit(await shop.pressForModal(before, label), { fields });
    expect(textOf(refused)).toContain("What you typed is kept");
    expect(buttonsOf(refused)).toEqual(["Edit", "Back", "Cancel"]);

    shop.restart();
    expect(prefilled(await shop.pressForModal(refused, "Edit"))).toEqual(fields);

    const back = await shop.press(refused, "Back");
    expect(textOf(back)).toBe(textOf(before));
    expect(prefilled(await shop.pressForModal(back, label))).toEqual(fields);

    const good = { price: "5", title: "Good", "category-id": "", image: "", youtube: "", "min-quantity": "2" };
    const taken = await shop.submit(await shop.pressForModal(back, label), { fields: good });
    expect(prefilled(await shop.pressForModal(taken, label))).not.toEqual(fields);

    await shop.press(taken, "Create");
    expect(shop.creations()).toBe(1);
  });

  it("stock that was typed in addition to a file is taken, and never shown", async () => {
    const both = { fields: { stock: "GOODS-BBBB", description: "One" }, files: [shop.upload("GOODS-AAAA")] };
    const earlier = await shop.preview();
    const refused = await shop.submit(await shop.pressForModal(earlier, "Edit"), both);
    expect(textOf(refused)).toContain("Use only one of them");
    expect(buttonsOf(refused)).toEqual(["Edit", "Back", "Cancel"]);

    const preview = await shop.press(refused, "Back");
    expect(textOf(preview)).toContain("Stock: keys or codes, 1 line");

    await shop.press(preview, "Create");
    expect(submitted()).toMatchObject({ info: { description: "One" }, inventory: { content: "GOODS-BBBB" } });

    const { stored, opened } = await shop.kept();
    expect(opened).toContain('"stage":"created"');
    expect(stored + opened).not.toContain("GOODS");
  });
});

describe("Cancel below the preview of a product", () => {
  it("can be undone for a day, also after a restart (0.1.0: the texts were gone)", async () => {
    const values = { "compare-at": "15", chat: true };
    const preview = await shop.preview(values, { fields: { description: "One", stock: STOCK } });
    const cancelled = await shop.press(preview, "Cancel");
    expect(buttonsOf(cancelled)).toEqual(["Bring it back", "Delete it now"]);

    shop.restart();
    shop.clock.ahead = 23 * 3_600_000;
    const back = await shop.press(cancelled, "Bring it back");
    expect(textOf(back)).toBe(textOf(preview));
    expect(textOf(await shop.press(cancelled, "Bring it back"))).toBe(textOf(preview));

    await shop.press(back, "Create");
    expect(submitted()).toMatchObject({ info: { description: "One" }, inventory: { content: STOCK } });
    expect(textOf(await shop.press(cancelled, "Bring it back"))).toContain("is in your store");
  });

  it("keeps what is typed into a window that was open at that moment", async () => {
    const preview = await shop.preview();
    const modal = await shop.pressForModal(preview, "Edit");
    await shop.press(preview, "Cancel");
    const edited = await shop.submit(modal, { fields: { description: "Typed for an hour" } });
    expect(textOf(edited)).toContain("Typed for an hour");

    await shop.press(edited, "Create");
    expect(submitted()?.info).toMatchObject({ description: "Typed for an hour" });
  });

  it("keeps the stock encrypted, and deletes it with the draft on demand", async () => {
    const cancelled = await shop.press(await shop.preview(), "Cancel");
    const before = await shop.kept();
    expect(before.stored).not.toMatch(/GOODS|Moon/);
    expect(before.opened).toMatch(/GOODS.*"isCancelled":true/);
    expect(await codeOf(shop.press(cancelled, "Delete it now", { ...owner, userId: "100000000000000007" }))).toBe(
      "someone_elses",
    );

    const deleted = await shop.press(cancelled, "Delete it now");
    expect(textOf(deleted)).toContain("deleted");
    expect((await shop.kept()).opened).toBe("");
    for (const label of ["Bring it back", "Delete it now"]) {
      expect(await codeOf(shop.press(cancelled, label))).toBe("expired");
    }
  });

  it("never sends the product by itself after an attempt without a clear answer and a restored draft", async () => {
    const preview = await shop.preview();
    shop.pretend.fail({ ...creation, drop: "after", times: 1 });
    const mended = shop.pretend.fail({ ...listing, status: 503 });
    const unsure = await shop.press(preview, "Create");
    const cancelled = await shop.press(unsure, "Cancel");
    expect(textOf(cancelled)).toContain("may still have created");

    shop.restart();
    expect(buttonsOf(await shop.press(cancelled, "Bring it back"))).toEqual(["Look again", "Cancel"]);

    mended();
    for (const label of ["Bring it back", "Bring it back"]) {
      expect(textOf(await shop.press(cancelled, label))).toContain(shop.pretend.products[0]?.id);
    }
    expect(textOf(await shop.press(preview, "Create"))).toContain(shop.pretend.products[0]?.id);
    expect(shop.creations()).toBe(1);
  });
});
