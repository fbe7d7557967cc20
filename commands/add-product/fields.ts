import { titleMax, typedMax } from "../../src/basics/limits/limits-in-texts.ts";
import type { Options } from "../../src/discord/commands/option-values.ts";
import type { Aside } from "../../src/sessions/drafts.ts";
import type { NewProduct, Product } from "../../src/store-api/schemas.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { type PriceHabits, typedPrice } from "../../src/store-queries/price.ts";
import { picturesIn, priceIn, quantityIn, titleIn, videoIn } from "../../src/store-queries/product-fields.ts";
import { priceTextMax } from "../../src/views/parts/numbers.ts";
import {
  fieldText,
  type ProductField,
  type ProductWindow,
  windowFields,
} from "../../src/views/products/add-product-modal.ts";
import { linkMax, picturesMax } from "../../src/views/products/product-card.ts";
import { categoryOption } from "../options.ts";

/** The short fields of a product. The window asks for the long ones. */
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
} as const satisfies Options;

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
 * The copy has no stock, instructions and options, because the store's list of products does not have them. Leaves out pictures
 * that a new product may not have. Throws a `ProblemError` if the title is empty, or the category has no valid id.
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
    // A store may list 0 for a product without a compare-at price.
    pricing: { price: pricing.price, comparation: pricing.comparation || undefined },
    inventory: { type: "SERIAL" },
  };
}

/** `doubtful` has the typed prices that can be read in two ways. */
export interface Described {
  readonly product: NewProduct;
  readonly doubtful?: Aside["doubtful"];
}

interface FieldChange {
  readonly categoryId?: string;
  readonly info?: Partial<NewProduct["info"]>;
  readonly pricing?: Partial<NewProduct["pricing"]>;
  readonly utils?: NewProduct["utils"];
  readonly chat?: NewProduct["chat"];
  readonly doubtful?: Aside["doubtful"];
}

/** A person fills a field in as an option of the command or in a window. */
interface Field {
  shown(product: NewProduct, habits: PriceHabits): string;
  /** An empty text removes an optional value. Throws a `ProblemError`. */
  read(typed: string, habits: PriceHabits): FieldChange;
}

const optional = <Value>(typed: string, read: (typed: string) => Value): Value | undefined =>
  typed === "" ? undefined : read(typed);

const choices: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["no", false],
]);
const nameOf = (chosen: boolean) => (chosen ? "yes" : "no");

const choice = <Group extends "utils" | "chat">(
  group: Group,
  key: keyof NonNullable<NewProduct[Group]> & string,
): Field => ({
  shown(product) {
    const values: Readonly<Record<string, unknown>> = product[group] ?? {};
    return values[key] === undefined ? "unset" : nameOf(values[key] === true);
  },
  read: (typed): FieldChange => ({ [group]: { [key]: choices.get(typed) } }),
});

const fields: Readonly<Record<ProductField, Field>> = {
  title: { shown: ({ info }) => info.title, read: (typed) => ({ info: { title: titleIn(typed) } }) },
  price: {
    shown: ({ pricing }, habits) => typedPrice(pricing.price, habits),
    read(typed, habits) {
      const { amount, doubtful } = priceIn(typed, habits);
      return { pricing: { price: amount }, doubtful: { price: doubtful } };
    },
  },
  "compare-at": {
    shown: ({ pricing }, habits) => (pricing.comparation === undefined ? "" : typedPrice(pricing.comparation, habits)),
    read(typed, habits) {
      const read = optional(typed, (text) => priceIn(text, habits));
      return { pricing: { comparation: read?.amount }, doubtful: { comparation: read?.doubtful } };
    },
  },
  category: { shown: ({ categoryId }) => categoryId, read: (typed) => ({ categoryId: categoryIn(typed) }) },
  // In the window `category-id` comes after `category`, so a pasted id replaces a chosen category.
  "category-id": { shown: () => "", read: (typed) => ({ categoryId: categoryIn(typed) }) },
  image: {
    shown: ({ info }) => (info.images ?? []).join("\n"),
    read: (typed) => ({ info: { images: optional(typed, picturesIn) } }),
  },
  youtube: {
    shown: ({ info }) => info.youtubeLink ?? "",
    read: (typed) => ({ info: { youtubeLink: optional(typed, videoIn) } }),
  },
  "min-quantity": {
    shown: ({ utils }) => String(utils?.minQuantity ?? ""),
    read: (typed) => ({ utils: { minQuantity: optional(typed, quantityIn) } }),
  },
  "hide-sales": choice("utils", "hideSales"),
  "hide-product": choice("utils", "hideProduct"),
  chat: choice("chat", "enabled"),
  messages: {
    shown: ({ chat }) => (chat?.autoMessages ?? []).join("\n"),
    read(typed) {
      const lines = typed.split("\n").flatMap((line) => line.trim() || []);
      return { chat: { autoMessages: lines.length === 0 ? undefined : lines } };
    },
  },
};

const groupOf = <Group extends object>(values: Group): Group | undefined =>
  Object.values(values).every((value) => value === undefined) ? undefined : values;

const changed = ({ product, doubtful }: Described, parts: FieldChange): Described => ({
  product: {
    ...product,
    categoryId: parts.categoryId ?? product.categoryId,
    info: { ...product.info, ...parts.info },
    pricing: { ...product.pricing, ...parts.pricing },
    utils: groupOf({ ...product.utils, ...parts.utils }),
    chat: groupOf({ ...product.chat, ...parts.chat }),
  },
  doubtful: { ...doubtful, ...parts.doubtful },
});

const blank: NewProduct = {
  type: "DEFAULT",
  categoryId: "",
  info: { title: "" },
  pricing: { price: 0 },
  inventory: { type: "SERIAL" },
};

/** The product has no long texts and no stock yet. Throws a `ProblemError`. */
export function productFrom(
  options: Readonly<Partial<Record<ProductField, string | number | boolean>>>,
  habits: PriceHabits,
): Described {
  let described: Described = { product: blank };
  for (const [name, value] of Object.entries(options)) {
    const typed = typeof value === "boolean" ? nameOf(value) : String(value);
    described = changed(described, fields[name as ProductField].read(typed, habits));
  }
  return described;
}

/** The texts that the fields of a window show at first, if no rejected texts are stored. */
export const fieldsOf = (window: ProductWindow, product: NewProduct, habits: PriceHabits): Record<string, string> =>
  Object.fromEntries(windowFields[window].map((name) => [name, fieldText(name, fields[name].shown(product, habits))]));

/**
 * Throws a `ProblemError`. Ignores each field whose text the person did not change. Such a text may differ from the product's
 * value: a long text was cut when the window opened, or a price has more decimals than a person may type.
 */
export function edited(
  window: ProductWindow,
  before: Described,
  submitted: Readonly<Record<string, string>>,
  habits: PriceHabits,
): Described {
  const opened = fieldsOf(window, before.product, habits);
  let described = before;
  for (const name of windowFields[window]) {
    const typed = submitted[name]?.trim();
    if (typed === undefined || typed === opened[name]?.trim()) continue;
    described = changed(described, fields[name].read(typed, habits));
  }
  return described;
}
