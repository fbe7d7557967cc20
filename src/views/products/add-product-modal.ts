import { type APIModalInteractionResponseCallbackData, ComponentType } from "@discordjs/core";
import type { Choice } from "../../basics/choices.ts";
import { titleMax, typedMax } from "../../basics/limits/limits-in-texts.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { NewProduct } from "../../store-api/schemas.ts";
import { menuOptions } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { type LabelledInput, labelled, textInput } from "../parts/modals.ts";
import { formatNumber, priceTextMax } from "../parts/numbers.ts";
import { code } from "../parts/text.ts";

const nameMax = 80;
/** A longer description may have been cut: the bot reads only what fits into a window, and removes blanks at the end. */
const almostFull = typedMax - 100;

function size(bytes: number, locale: Locale): string {
  const [amount, unit, unitDisplay] =
    bytes < 1_000 ? ([bytes, "byte", "long"] as const) : ([bytes / 1_000, "kilobyte", "short"] as const);
  return formatNumber(amount, locale, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 });
}

const filledLines = (content: string): number => content.match(/\S[^\n]*/g)?.length ?? 0;

/** `short` leaves out the file's name and size. Undefined if there is no stock. */
export function stockSummary(
  inventory: NewProduct["inventory"],
  locale: Locale,
): { readonly short: string; readonly full: string } | undefined {
  const { content = "", fileName } = inventory;
  if (content === "") return undefined;
  const say = texts(locale).addProduct;
  const count = filledLines(content);
  const lines = say.lines(count, formatNumber(count, locale));
  if (fileName === undefined) return { short: lines, full: lines };
  return {
    short: lines,
    full: say.fileFact(code(fileName, nameMax), size(Buffer.byteLength(content), locale), lines),
  };
}

/** Discord allows five fields in a window. */
export const windowFields = {
  basics: ["title", "price", "compare-at", "category", "category-id"],
  media: ["image", "youtube"],
  options: ["min-quantity", "hide-sales", "hide-product", "chat"],
  messages: ["messages"],
} as const;
export type ProductWindow = keyof typeof windowFields;
export type ProductField = (typeof windowFields)[ProductWindow][number];

const fieldMax: Partial<Record<ProductField, number>> = {
  title: titleMax,
  price: priceTextMax,
  "compare-at": priceTextMax,
  "category-id": 100,
};

const longFields: ReadonlySet<ProductField> = new Set(["image", "messages"]);

export function fieldText(field: ProductField, text: string): string {
  const shown = longFields.has(field) ? text : text.replace(/\s+/g, " ");
  return shown.slice(0, fieldMax[field] ?? typedMax).toWellFormed();
}

const paragraph = (id: string, name: string, hint: string, value?: string) =>
  textInput(id, name, { hint, value, isLong: true });

function menu(
  id: string,
  name: string,
  options: readonly Choice[],
  { value, hint }: { readonly value?: string; readonly hint?: string },
): LabelledInput {
  return {
    ...labelled(name, hint),
    component: {
      type: ComponentType.StringSelect,
      custom_id: id,
      required: true,
      options: menuOptions(options, value),
    },
  };
}

/**
 * Opens with the texts of the draft, but never with its stock. `action` is `submit` for the window that begins a draft, and
 * `edit` for a window that was opened from the preview.
 */
export function addProductModal(
  action: "submit" | "edit",
  draft: string,
  product: NewProduct,
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  const say = texts(locale).addProduct;
  const { info, inventory } = product;
  const kept = stockSummary(inventory, locale);
  const { description = "" } = info;
  const hint = description.length > almostFull ? say.descriptionFull : say.descriptionHint;
  const types = Object.entries(say.kinds).map(([value, { option }]) => ({ value, name: option }));
  return {
    custom_id: customIds["add-product"].windows[action].make({ draft }),
    title: say.modalTitle,
    components: [
      paragraph("description", say.description, hint, description),
      paragraph("instructions", say.instructions, say.instructionsHint, info.instructions),
      menu("stock-type", say.stockType, types, { value: inventory.type, hint: say.stockTypeHint }),
      paragraph("stock", say.stock, kept === undefined ? say.stockHint : say.stockKept(kept.short)),
      {
        ...labelled(say.stockFile, say.stockFileHint),
        component: {
          type: ComponentType.FileUpload,
          custom_id: "stock-file",
          required: false,
          min_values: 0,
          max_values: 1,
        },
      },
    ],
  };
}

/** The menu has `categories` and the present category. A person can also paste a category's id (`category-id`). */
export function addProductWindow(
  window: ProductWindow,
  draft: string,
  values: Readonly<Record<string, string>>,
  categories: readonly Choice[],
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  const { windows: say, messages, messagesHint } = texts(locale).addProduct;
  const short = (field: ProductField, name: string, hint?: string, required = false) =>
    textInput(field, name, { hint, value: values[field], max: fieldMax[field], required });
  const choice = (field: ProductField, name: string, yes: string, no: string) => {
    const options = Object.entries({ unset: say.unset, yes, no }).map(([value, text]) => ({ value, name: text }));
    return menu(field, name, options, { value: values[field] });
  };
  const category = values.category ?? "";
  const chosen = categories.find(({ value }) => value === category) ?? { value: category, name: category };
  const inputs: Record<ProductField, LabelledInput> = {
    title: short("title", say.title, undefined, true),
    price: short("price", say.price, say.priceHint, true),
    "compare-at": short("compare-at", say.compareAt, say.compareAtHint),
    category: menu("category", say.category, [chosen, ...categories], { value: category }),
    "category-id": short("category-id", say.otherCategory, say.otherCategoryHint),
    image: paragraph("image", say.image, say.imageHint, values.image),
    youtube: short("youtube", say.youtube, say.youtubeHint),
    "min-quantity": short("min-quantity", say.minQuantity, say.minQuantityHint),
    "hide-sales": choice("hide-sales", say.sales, say.hide, say.show),
    "hide-product": choice("hide-product", say.product, say.hide, say.show),
    chat: choice("chat", say.chat, say.on, say.off),
    messages: paragraph("messages", messages, messagesHint, values.messages),
  };
  return {
    custom_id: customIds["add-product"].windows[window].make({ draft }),
    title: say.names[window],
    components: windowFields[window].map((field) => inputs[field]),
  };
}
