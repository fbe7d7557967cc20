import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from "@discordjs/core";
import type { NewProduct } from "../store-api/schemas.ts";
import { stockSummary } from "./add-product-stock.ts";
import { texts } from "./catalogue/catalogue.ts";
import type { Locale } from "./context.ts";
import { customId } from "./custom-id.ts";
import { label } from "./text.ts";

type LabelledInput = APIModalInteractionResponseCallbackData["components"][number];

/** Discord's limit on a text input, in characters. */
const TEXT_MAX = 4_000;
const HINT_MAX = 100;

function paragraph(id: string, name: string, hint: string, value = ""): LabelledInput {
  return {
    type: ComponentType.Label,
    label: name,
    description: label(hint, HINT_MAX),
    component: {
      type: ComponentType.TextInput,
      custom_id: id,
      style: TextInputStyle.Paragraph,
      required: false,
      max_length: TEXT_MAX,
      ...(value === "" ? {} : { value: value.slice(0, TEXT_MAX).toWellFormed() }),
    },
  };
}

/**
 * Asks for the long texts and the stock: fields `description`, `instructions`, `stock-type` (SERIAL, TEXT or FILE),
 * `stock` and the upload `stock-file`. It opens with what the draft has, but for the stock, which is never shown again.
 *
 * @param action what the modal's submission is answered by: `submit` the first time, `edit` from the preview
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
  const types = { SERIAL: say.serial, TEXT: say.text, FILE: say.file } as const;
  return {
    custom_id: customId("add-product", action, draft),
    title: say.modalTitle,
    components: [
      paragraph("description", say.description, say.descriptionHint, info.description),
      paragraph("instructions", say.instructions, say.instructionsHint, info.instructions),
      {
        type: ComponentType.Label,
        label: say.stockType,
        description: say.stockTypeHint,
        component: {
          type: ComponentType.StringSelect,
          custom_id: "stock-type",
          required: true,
          options: Object.entries(types).map(([value, name]) => ({
            value,
            label: name,
            default: value === inventory.type,
          })),
        },
      },
      paragraph("stock", say.stock, kept === undefined ? say.stockHint : say.stockKept(kept.short)),
      {
        type: ComponentType.Label,
        label: say.stockFile,
        description: say.stockFileHint,
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

/** Asks for the chat's automatic messages, one on each line of the field `messages`. */
export function addProductMessagesModal(
  draft: string,
  product: NewProduct,
  locale: Locale,
): APIModalInteractionResponseCallbackData {
  const say = texts(locale).addProduct;
  return {
    custom_id: customId("add-product", "messages", draft),
    title: say.messagesTitle,
    components: [paragraph("messages", say.messages, say.messagesHint, (product.chat?.autoMessages ?? []).join("\n"))],
  };
}
