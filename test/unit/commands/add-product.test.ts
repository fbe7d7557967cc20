import { describe, expect, it, vi } from "vitest";
import { locales } from "../../../src/basics/locale.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import {
  addProductModal,
  addProductWindow,
  type ProductWindow,
  windowFields,
} from "../../../src/views/products/add-product-modal.ts";
import { codeOf } from "../../support/code-of.ts";
import { aProduct, nodes, textOf } from "../../support/views-support.ts";
import { buttonsOf, options, prefilled, type Shop, STOCK, useShop } from "./add-product-support.ts";

const shop = useShop();

/** Returns what the store was sent. */
async function created(...preview: Parameters<Shop["preview"]>) {
  await shop.press(await shop.preview(...preview), "Create");
  return shop.pretend.products.at(-1)?.submitted;
}

describe("/add-product", () => {
  it("opens the modal without asking the store", async () => {
    const modal = await shop.run({ "compare-at": 12, youtube: "https://youtu.be/abc", chat: true });
    expect(modal.components).toHaveLength(5);
    expect(prefilled(modal)).toEqual({ description: "", instructions: "", "stock-type": "SERIAL", stock: "" });
    expect(shop.pretend.requests).toHaveLength(0);
  });

  it.each([
    [{ title: " \u200b " }, "bad_title"],
    [{ image: "javascript:alert(1)" }, "bad_picture"],
    [{ image: "https://user:pass@images.example/a.png" }, "bad_picture"],
    [{ image: "https://images.example/a.png picture.png" }, "bad_picture"],
    [{ image: `https://images.example/a.png${" ,".repeat(40)} picture.png` }, "bad_picture"],
    [{ image: Array(11).fill("https://images.example/a.png").join(" ") }, "bad_picture"],
    [{ image: " " }, "bad_picture"],
    [{ youtube: "https://vimeo.com/1" }, "bad_video"],
    [{ youtube: "https://youtube.com.evil.example/watch?v=1" }, "bad_video"],
    [{ youtube: "https://youtube.com@evil.example/" }, "bad_video"],
    [{ youtube: "ftp://youtube.com/watch" }, "bad_video"],
    [{ image: "https://images.example/a.png,b.png,picture", youtube: "https://notyoutu.be/a" }, "bad_video"],
    [{ price: -0.01 }, "bad_price"],
    [{ price: "free" }, "bad_price"],
    // Before, the sentence said only that a price is a number.
    [{ price: "1.234" }, "bad_decimals"],
    [{ "compare-at": -5 }, "bad_price"],
    [{ "min-quantity": 0 }, "unknown_action"],
    [{ "min-quantity": 1.5 }, "unknown_action"],
    [{ "min-quantity": "many" }, "unknown_action"],
  ])("refuses %j before any modal", async (values, code) => {
    expect(await codeOf(shop.run(values))).toBe(code);
    expect(shop.pretend.requests).toHaveLength(0);
  });

  it("takes the name of a category's suggestion, and refuses another text", async () => {
    shop.pretend.addProduct({ categoryId: options.category, info: { ...aProduct().info, title: "The only one" } });
    const preview = await shop.preview({ category: "The only one " });
    expect(JSON.stringify(preview)).toContain("The only one");
    expect(await codeOf(shop.run({ category: "Game keys" }))).toBe("bad_category");
  });

  it("does not wait for a slow store, because a window must open within 3 s", async () => {
    shop.pretend.fail({ delayMs: 3_000 });
    const code = codeOf(shop.run({ category: "Game keys" }));
    await shop.pretend.waitFor(() => shop.pretend.requests.length > 0, "a look-up of the category");
    await vi.advanceTimersByTimeAsync(700);
    expect(await code).toBe("timeout");
  });

  const pictures = ["https://images.example/a.png", "https://images.example/w_3,h_2/b.png"] as const;
  it.each<[object, object]>([
    [{ price: "9.9", "compare-at": "15" }, { pricing: { price: 9.9, comparation: 15 } }],
    [{ price: 0, "compare-at": 1e12 }, { pricing: { price: 0, comparation: 1e12 } }],
    [{ "min-quantity": "2" }, { utils: { minQuantity: 2 } }],
    ...[pictures.join(", "), pictures.join(","), ` ${pictures.join(" ,\t")}, `].map((image): [object, object] => [
      { image },
      { info: { images: pictures } },
    ]),
    ...["music.youtube.com", "youtube-nocookie.com", "www.youtube-nocookie.com", "www.youtu.be"].map(
      (host): [object, object] => [
        { youtube: `https://${host}/embed/abc` },
        { info: { youtubeLink: `https://${host}/embed/abc` } },
      ],
    ),
  ])("takes %j", async (values, sent) => {
    expect(await created(values)).toMatchObject(sent);
  });
});

describe("the preview and the creation", () => {
  it("reach every field of the API document", async () => {
    const values = {
      "compare-at": 15.5,
      image: "https://images.example/a.png  http://images.example/b.png",
      youtube: "https://www.youtube.com/watch?v=abc",
      "min-quantity": 2,
      "hide-sales": true,
      "hide-product": false,
      chat: true,
    };
    const fields = { description: "Fast *racing*", instructions: "Open the box", "stock-type": "FILE" };
    const preview = await shop.preview(values, { fields, files: [shop.upload(`\ufeff${STOCK}`)] });
    const messages = await shop.pressForModal(preview, "Messages");
    const again = await shop.submit(messages, { fields: { messages: "Hello!\n\n  Thanks \n" } });
    expect(prefilled(await shop.pressForModal(again, "Messages"))).toEqual({ messages: "Hello!\nThanks" });
    expect(textOf(again)).toBe(
      [
        "**Preview** · nothing has been created yet",
        "-# **Edit** changes the texts and the stock; the buttons below it change the rest.",
        "### Moon Racer",
        "**9.90** ~~15.50~~",
        "Fast \\*racing\\*",
        "Category: ID `6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a01`",
        "Stock: a file, from `keys.txt` (47 bytes, 3 lines)",
        "Instructions: Open the box",
        "Video: `https://www.youtube.com/watch?v=abc`",
        "Minimum quantity: 2",
        "The number of sales is hidden",
        "The product is shown in the store",
        "Chat after a purchase: on",
        "Automatic messages (2): Hello! · Thanks",
      ].join("\n"),
    );
    expect(shop.creations()).toBe(0);

    // Before, the preview left out such a link without a word, and the store got it.
    const unshown = await shop.preview({ image: "https://images.example/a.png https://x" });
    expect(textOf(unshown)).toContain("⚠️ Discord cannot show `https://x/` as a picture, but the store will get it.");
    expect(textOf(again)).not.toContain("cannot show");

    const windows = ["Title and price", "Pictures and video", "Options", "Messages"];
    expect(buttonsOf(again)).toEqual(["Create", "Edit", "Cancel", ...windows]);
    const actions = nodes(again).flatMap(
      ({ custom_id }) => custom_id?.replace(/^add-product:(\w+):[\w-]{12}$/, "$1") ?? [],
    );
    expect(actions).toEqual(["create", "edit", "cancel", "basics", "media", "options", "messages"]);

    await shop.press(again, "Create");
    expect(shop.pretend.products[0]?.submitted).toEqual({
      type: "DEFAULT",
      categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a01",
      info: {
        title: "Moon Racer",
        description: "Fast *racing*",
        images: ["https://images.example/a.png", "http://images.example/b.png"],
        youtubeLink: "https://www.youtube.com/watch?v=abc",
        instructions: "Open the box",
      },
      pricing: { price: 9.9, comparation: 15.5 },
      inventory: { type: "FILE", content: STOCK, fileName: "keys.txt" },
      utils: { hideSales: true, hideProduct: false, minQuantity: 2 },
      chat: { enabled: true, autoMessages: ["Hello!", "Thanks"] },
    });
  });

  it("send no field that nobody filled in, and no blank line before or after typed serials", async () => {
    const preview = await shop.preview({}, { fields: { stock: "\n  \nGOODS-AAAA \n\n  GOODS-BBBB\n \n" } });
    expect(textOf(preview)).toContain("Stock: keys or codes, 2 lines");
    await shop.press(preview, "Create");
    expect(shop.pretend.products[0]?.submitted).toEqual({
      type: "DEFAULT",
      categoryId: options.category,
      info: { title: "Moon Racer" },
      pricing: { price: 9.9 },
      inventory: { type: "SERIAL", content: "GOODS-AAAA \n\n  GOODS-BBBB" },
    });
  });

  it.each(["SERIAL", "TEXT", "FILE"])("send a file of %s, and typed text, exactly as they are", async (type) => {
    const content = "\r\nGOODS-AAAA\r\n\r\n  GOODS-BBBB \n\n";
    const sent = await created({}, { fields: { "stock-type": type }, files: [shop.upload(content)] });
    expect(sent?.inventory).toEqual({ type, content, fileName: "keys.txt" });

    const typed = "\n GOODS-AAAA\n\n";
    const text = await created({}, { fields: { "stock-type": "TEXT", stock: typed } });
    expect(text?.inventory).toEqual({ type: "TEXT", content: typed });
  });

  it.each([
    [{}, { enabled: true }, "on, because there are automatic messages", undefined],
    [{ chat: true }, { enabled: true }, "Chat after a purchase: on\n", { enabled: true }],
    [{ chat: false }, { enabled: false }, "off, as you chose", { enabled: false }],
  ])("send messages with the chat as chosen in %j, else on, and without once they are taken out", async (...row) => {
    const [values, chat, sentence, without] = row;
    const filled = async (preview: MessagePayload, messages: string) =>
      shop.submit(await shop.pressForModal(preview, "Messages"), { fields: { messages } });
    const preview = await filled(await shop.preview(values), "Hello!");
    expect(textOf(preview)).toContain(sentence);
    await shop.press(preview, "Create");
    expect(shop.pretend.products[0]?.submitted?.chat).toEqual({ ...chat, autoMessages: ["Hello!"] });

    const emptied = await filled(await filled(await shop.preview(values), "Hello!"), " ");
    expect(textOf(emptied)).not.toContain("automatic");
    await shop.press(emptied, "Create");
    expect(shop.pretend.products[1]?.submitted?.chat).toEqual(without);
  });

  it("warn of a comparison price below the price, and of no stock", async () => {
    const preview = await shop.preview({ "compare-at": 5 }, {});
    expect(textOf(preview)).toContain("The compare-at price is lower than the price.");
    expect(textOf(preview)).toContain("There is no stock yet");

    await shop.press(preview, "Create");
    expect(shop.pretend.products[0]?.pricing).toEqual({ price: 9.9, comparation: 5 });
    expect(textOf(await shop.preview({ "compare-at": 9.9 }))).not.toContain("compare-at price is lower");
  });
});

describe("Edit below the preview of a product", () => {
  it("opens the filled modal without the stock, which stays unless new stock is given", async () => {
    const fields = { description: "One", instructions: "Two", "stock-type": "TEXT", stock: STOCK };
    const preview = await shop.preview({}, { fields });
    const modal = await shop.pressForModal(preview, "Edit");
    expect(prefilled(modal)).toEqual({ description: "One", instructions: "Two", "stock-type": "TEXT", stock: "" });
    expect(JSON.stringify(modal)).toContain("to keep what you entered (3 lines)");

    const edited = await shop.submit(modal, { fields: { description: "Uno", instructions: "" } });
    expect(textOf(edited)).toContain("Uno");
    expect(textOf(edited)).not.toContain("Instructions");

    await shop.press(edited, "Create");
    expect(shop.pretend.products[0]?.submitted?.inventory).toEqual({ type: "TEXT", content: STOCK });
    expect(shop.pretend.products[0]?.submitted?.info).toEqual({ title: "Moon Racer", description: "Uno" });
  });

  it("replaces a file by typed stock, and drops the file's name", async () => {
    const preview = await shop.preview({}, { files: [shop.upload(STOCK)] });
    const edited = await shop.submit(await shop.pressForModal(preview, "Edit"), { fields: { stock: "GOODS-BBBB" } });
    await shop.press(edited, "Create");
    expect(shop.pretend.products[0]?.submitted?.inventory).toEqual({ type: "SERIAL", content: "GOODS-BBBB" });
  });
});

it.each(locales)("the windows show whole texts in %s", (locale) => {
  const draft = "AbCdEfGhIjKl";
  const inventory = { type: "TEXT", content: "one\ntwo", fileName: "keys.txt" } as const;
  const product = { type: "DEFAULT", categoryId: "c", info: { title: "x" }, pricing: { price: 10 } } as const;
  const modals = [
    addProductModal("submit", draft, { ...product, inventory: { type: "SERIAL" } }, locale),
    addProductModal("edit", draft, { ...product, inventory }, locale),
    ...Object.keys(windowFields).map((window) =>
      addProductWindow(window as ProductWindow, draft, {}, [{ value: "a", name: "A" }], locale),
    ),
  ];
  expect(JSON.stringify(modals).replaceAll("https://…", "")).not.toContain("…");
});

describe("an uploaded stock file", () => {
  it.each([
    ["that is too big", () => shop.upload("x".repeat(1_048_577)), "the limit is 1 MiB"],
    ["that is no text", () => shop.upload(new Uint8Array([0xff, 0xfe, 0x00, 0x41])), "has to be plain UTF-8 text"],
    ["with binary zeros", () => shop.upload("GOODS\0AAAA"), "has to be plain UTF-8 text"],
    ["that is all control characters", () => shop.upload("\u0001".repeat(1_048_576)), "has to be plain UTF-8 text"],
    ["with nothing in it", () => shop.upload(" \n"), "has to be plain UTF-8 text"],
    ["that is gone", () => ({ ...shop.upload("x"), url: `${shop.upload("x").url}9` }), "could not be downloaded"],
    ["from another host", () => ({ ...shop.upload("x"), url: "http://127.0.0.1:9/x" }), "could not be downloaded"],
  ])("%s is refused, and what was typed is kept", async (_name, file, sentence) => {
    const refused = await shop.submit(await shop.run(), { fields: { description: "One" }, files: [file()] });
    expect(textOf(refused)).toContain(sentence);
    expect(buttonsOf(refused)).toEqual(["Edit", "Back", "Cancel"]);

    const modal = await shop.pressForModal(refused, "Edit");
    expect(prefilled(modal).description).toBe("One");
    expect(textOf(await shop.submit(modal, { files: [shop.upload(STOCK)] }))).toContain("from `keys.txt`");
  });

  it.each(["\n\\", "🎁"])("of the largest size, full of %j, is accepted", async (text) => {
    const content = `GOODS${text.repeat(Math.floor((1_048_576 - 5) / Buffer.byteLength(text)))}`;
    const preview = await shop.submit(await shop.run(), { files: [shop.upload(content)] });
    expect(textOf(preview)).toContain("from `keys.txt`");

    await shop.press(preview, "Create");
    expect(shop.pretend.products[0]?.submitted?.inventory.content).toBe(content);
  });
});
