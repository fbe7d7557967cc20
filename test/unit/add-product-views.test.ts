import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import { texts } from "../../src/locales/texts.ts";
import { type NewProduct, newProductSchema } from "../../src/store-api/schemas.ts";
import {
  addProductMessagesModal,
  addProductModal,
  addProductWindow,
  type ProductWindow,
  windowFields,
} from "../../src/views/products/add-product-modal.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import {
  addProductCancelled,
  addProductDone,
  addProductRefused,
  addProductUnsure,
} from "../../src/views/products/add-product-results.ts";
import { modalProblems } from "../sandbox/discord/modal-limits.ts";
import { sized } from "../support/sized.ts";
import {
  anyContext,
  anyNumber,
  anyText,
  expectAccepted,
  expectModalAccepted,
  nodes,
  textOf,
} from "../support/views-support.ts";
import { buttonsOf, prefilled } from "./add-product-support.ts";

const draft = "AbCdEfGhIjKl";
const product: NewProduct = {
  type: "DEFAULT",
  categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a01",
  info: { title: "Moon Racer", description: "Fast", instructions: "Open it" },
  pricing: { price: 10 },
  inventory: { type: "TEXT", content: "one\ntwo", fileName: "keys.txt" },
  chat: { enabled: true, autoMessages: ["Hello"] },
};

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyNewProduct: fc.Arbitrary<NewProduct> = fc.record({
  type: fc.constant("DEFAULT" as const),
  categoryId: fc.uuid(),
  info: fc.record({
    title: anyText,
    description: maybe(anyText),
    instructions: maybe(anyText),
    youtubeLink: maybe(fc.webUrl()),
    images: maybe(fc.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 12 })),
  }),
  pricing: fc.record({ price: anyNumber, comparation: maybe(anyNumber) }),
  inventory: fc.record({
    type: fc.constantFrom(...newProductSchema.shape.inventory.shape.type.options),
    content: maybe(anyText),
    fileName: maybe(anyText),
  }),
  utils: maybe(
    fc.record({ hideSales: maybe(fc.boolean()), hideProduct: maybe(fc.boolean()), minQuantity: maybe(anyNumber) }),
  ),
  chat: maybe(fc.record({ enabled: maybe(fc.boolean()), autoMessages: maybe(fc.array(anyText, { maxLength: 20 })) })),
});

const windows = Object.keys(windowFields) as ProductWindow[];

function expectOpened(modal: ReturnType<typeof addProductModal>) {
  expectModalAccepted(modal);
  expect(modalProblems(JSON.parse(JSON.stringify(modal.components)))).toEqual([]);
  expect(JSON.stringify(modal)).not.toMatch(/\\ud[89a-f]/i); // half a surrogate pair, escaped by JSON
}

describe.each(locales)("adding a product in %s", (locale) => {
  it("opens modals that Discord takes, with no text of theirs cut", () => {
    for (const modal of [
      addProductModal("submit", draft, { ...product, inventory: { type: "SERIAL" } }, locale),
      addProductModal("edit", draft, product, locale),
      addProductMessagesModal(draft, product, locale),
      ...windows.map((window) => addProductWindow(window, draft, {}, [{ value: "a", label: "A" }], locale)),
    ]) {
      expectOpened(modal);
      expect(JSON.stringify(modal).replaceAll("https://…", "")).not.toContain("…");
    }
  });

  it("shows results that Discord takes, with the ids whole", () => {
    const id = "11111111-2222-4333-8444-555555555555";
    for (const how of ["created", "found"] as const) {
      const done = addProductDone(how, { draft, productId: id }, locale);
      expectAccepted(done);
      expect(textOf(done)).toContain(`\`${id}\``);
    }
    for (const payload of [
      addProductUnsure(draft, { looked: true, attempt: 12 }, locale),
      addProductUnsure(draft, { looked: false, attempt: 1 }, locale),
      addProductRefused(draft, { action: "edit", problem: { code: "stock_twice" }, hasStock: true }, locale),
      addProductRefused(draft, { action: "media", problem: { code: "bad_video" }, hasStock: false }, locale),
      addProductCancelled(draft, true, locale),
      addProductCancelled(draft, false, locale),
      addProductPreview(draft, product, { locale, privacy: "none" }),
    ]) {
      expectAccepted(payload);
    }
  });
});

describe.each(locales)("the chat in %s", (locale) => {
  const shown = (chat: NewProduct["chat"]) =>
    textOf(addProductPreview(draft, { ...product, chat }, { locale, privacy: "none" }));

  it("is told as it is going to be sent, whether it was chosen or not", () => {
    const autoMessages = ["Hello"];
    const chats = [
      undefined,
      { enabled: true },
      { enabled: false },
      { autoMessages },
      { enabled: false, autoMessages },
    ];
    expect(new Set(chats.map(shown)).size).toBe(chats.length);
    expect(shown({ enabled: true, autoMessages })).toContain(texts(locale).addProduct.chatOn);
  });
});

describe("the contract's names", () => {
  it("are those of the fields and of the English buttons", () => {
    const fields = Object.keys(prefilled(addProductModal("submit", draft, product, "en")));
    expect(fields).toEqual(["description", "instructions", "stock-type", "stock"]);
    expect(JSON.stringify(addProductModal("submit", draft, product, "en"))).toContain('"stock-file"');

    const preview = addProductPreview(draft, product, { locale: "en", privacy: "none" });
    expect(buttonsOf(preview)).toEqual([
      "Create",
      "Edit",
      "Cancel",
      "Title and price",
      "Pictures and video",
      "Options",
      "Messages",
    ]);
    expect(nodes(preview).flatMap(({ custom_id }) => custom_id ?? [])).toEqual(
      ["create", "edit", "cancel", "basics", "media", "options", "messages"].map(
        (action) => `add-product:${action}:${draft}`,
      ),
    );
  });
});

describe("hostile products", () => {
  it("have a preview and modals that Discord takes", () => {
    fc.assert(
      fc.property(anyNewProduct, anyContext, anyText, (hostile, ctx, typed) => {
        const doubtful = { price: typed, comparation: typed };
        expectAccepted(addProductPreview(draft, hostile, ctx, { inCategory: [typed, typed], doubtful }));
        for (const window of windows) {
          const values = Object.fromEntries(windowFields[window].map((field) => [field, typed]));
          const categories = [typed, "a", "a", hostile.categoryId].map((value) => ({ value, label: typed }));
          expectOpened(
            addProductWindow(window, draft, { ...values, category: hostile.categoryId }, categories, ctx.locale),
          );
        }
        expectOpened(addProductModal("edit", draft, hostile, ctx.locale));
        expectOpened(addProductMessagesModal(draft, hostile, ctx.locale));
      }),
      { numRuns: sized(40, 150) },
    );
  });

  it("never have their stock shown", () => {
    const secret = "GOODS-SECRET";
    fc.assert(
      fc.property(anyNewProduct, anyContext, fc.nat(50), (hostile, ctx, lines) => {
        const content = Array(lines + 1)
          .fill(secret)
          .join("\n");
        const stocked = { ...hostile, inventory: { ...hostile.inventory, content } };
        const shown = [
          addProductPreview(draft, stocked, ctx),
          addProductModal("edit", draft, stocked, ctx.locale),
          addProductMessagesModal(draft, stocked, ctx.locale),
        ];
        expect(JSON.stringify(shown)).not.toContain(secret);
      }),
      { numRuns: 50 },
    );
  });
});
