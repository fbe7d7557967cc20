import type { Options } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/services.ts";
import type { NewProduct, Product } from "../../src/store-api/schemas.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { priceTextMax } from "../../src/store-queries/price.ts";
import { picturesIn, titleIn, titleMax } from "../../src/store-queries/product-fields.ts";
import { typedMax } from "../../src/views/parts/modals.ts";
import { linkMax, picturesMax } from "../../src/views/products/product-card.ts";
import { categoryOption } from "../options.ts";

/** The options of the command: the short fields of a product. The window asks for the long ones. */
export const addProductOptions = {
  title: { kind: "string", required: true, max: titleMax },
  price: { kind: "string", required: true, max: priceTextMax },
  category: { ...categoryOption, required: true },
  "compare-at": { kind: "string", max: priceTextMax },
  image: { kind: "string", max: typedMax },
  youtube: { kind: "string", max: linkMax },
  "min-quantity": { kind: "integer", min: 1 },
  "hide-sales": { kind: "boolean" },
  "hide-product": { kind: "boolean" },
  chat: { kind: "boolean" },
} as const satisfies Options<Services>;

/** Picks the pictures of a listed product that a new product may have. */
function sameLinks(images: readonly string[]): string[] {
  const links = images.flatMap((image) => {
    try {
      return picturesIn(image);
    } catch {
      return [];
    }
  });
  return links.slice(0, picturesMax);
}

/**
 * Makes a new product from a listed one. The store's list has no stock, instructions and options, so the new product
 * has none. Throws a `ProblemError` if a new product may not have one of the values.
 */
export function copyOf({ categoryId, info, pricing }: Product): NewProduct {
  const images = sameLinks(info.images);
  return {
    type: "DEFAULT",
    categoryId: categoryIn(categoryId),
    info: {
      title: titleIn(info.title.trim().slice(0, titleMax).toWellFormed()),
      description: info.description.trim() || undefined,
      images: images.length === 0 ? undefined : images,
    },
    pricing: { price: pricing.price, comparation: pricing.comparation },
    inventory: { type: "SERIAL" },
  };
}
