import { describe, expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import {
  addProductModal,
  addProductWindow,
  type ProductWindow,
  windowFields,
} from "../../src/views/products/add-product-modal.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import { nodes } from "../support/views-support.ts";
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

const windows = Object.keys(windowFields) as ProductWindow[];

describe.each(locales)("adding a product in %s", (locale) => {
  it("opens modals with no text cut", () => {
    const modals = [
      addProductModal("submit", draft, { ...product, inventory: { type: "SERIAL" } }, locale),
      addProductModal("edit", draft, product, locale),
      ...windows.map((window) => addProductWindow(window, draft, {}, [{ value: "a", name: "A" }], locale)),
    ];
    expect(JSON.stringify(modals).replaceAll("https://…", "")).not.toContain("…");
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
