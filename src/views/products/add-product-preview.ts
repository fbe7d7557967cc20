import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";
import type { NewProduct } from "../../store-api/schemas.ts";
import { button, buttonRow } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { quantity } from "../parts/money.ts";
import { understoodPrice } from "../parts/numbers.ts";
import type { ActionRow, MessagePayload } from "../parts/payload.ts";
import { code, plain } from "../parts/text.ts";
import { stockSummary } from "./add-product-modal.ts";
import { pictureUrl, productCard } from "./product-card.ts";

const linkMax = 150;
const excerptMax = 200;

interface PreviewNotes {
  readonly inCategory?: readonly string[];
  /** Typed prices that can be read in two ways. */
  readonly doubtful?: { readonly price?: string; readonly comparation?: string };
}

function details(product: NewProduct, ctx: ViewContext): string[] {
  const say = texts(ctx.locale).addProduct;
  const { info, inventory, utils, chat } = product;
  const stock = stockSummary(inventory, ctx.locale);
  const messages = chat?.autoMessages ?? [];
  const either = (value: boolean | undefined, yes: string, no: string) =>
    value === undefined ? [] : [value ? yes : no];
  return [
    ...(stock === undefined ? [] : [say.stockFact(say.kinds[inventory.type].fact, stock.full)]),
    ...(info.instructions ? [say.instructionsFact(plain(info.instructions, excerptMax))] : []),
    ...(info.youtubeLink ? [say.video(code(info.youtubeLink, linkMax))] : []),
    ...(utils?.minQuantity === undefined ? [] : [say.minQuantity(quantity(utils.minQuantity, ctx.locale))]),
    ...either(utils?.hideSales, say.salesHidden, say.salesShown),
    ...either(utils?.hideProduct, say.productHidden, say.productShown),
    ...(messages.length === 0
      ? either(chat?.enabled, say.chatOn, say.chatOff)
      : [
          chat?.enabled === undefined ? say.chatImplied : chat.enabled ? say.chatOn : say.chatOffAsChosen,
          say.messagesFact(quantity(messages.length, ctx.locale), plain(messages.join(" · "), excerptMax)),
        ]),
  ];
}

/** Shows with decimals how a typed price was understood, so that a person notices a misunderstanding. */
function understood(typed: string | undefined, amount: number | undefined, ctx: ViewContext): string[] {
  if (typed === undefined || amount === undefined) return [];
  return [texts(ctx.locale).addProduct.understood(...understoodPrice(typed, amount, ctx))];
}

/** A link is sent to the store even if its picture cannot be shown. */
function notShown({ info }: NewProduct, say: Texts["addProduct"]): string[] {
  const link = info.images?.find((image) => pictureUrl(image) === undefined);
  return link === undefined ? [] : [say.pictureNotShown(code(link, linkMax))];
}

function heading(product: NewProduct, doubtful: PreviewNotes["doubtful"], ctx: ViewContext): string {
  const say = texts(ctx.locale).addProduct;
  const { price, comparation } = product.pricing;
  return [
    say.previewHeading,
    ...understood(doubtful?.price, price, ctx),
    ...understood(doubtful?.comparation, comparation, ctx),
    ...(comparation !== undefined && comparation < price ? [say.compareBelow] : []),
    ...notShown(product, say),
    ...(product.inventory.content ? [] : [say.noStock]),
    say.editHint,
  ].join("\n");
}

function buttons(draft: string, locale: Locale): ActionRow[] {
  const { addProduct: say, common } = texts(locale);
  const ids = customIds["add-product"].buttons;
  const { basics, media, options } = say.windows.names;
  return [
    ...buttonRow(
      button(ids.create.make({ draft }), common.create, { style: "Success" }),
      button(ids.edit.make({ draft }), common.edit),
      button(ids.cancel.make({ draft }), common.cancel, { style: "Danger" }),
    ),
    ...buttonRow(
      button(ids.basics.make({ draft }), basics),
      button(ids.media.make({ draft }), media),
      button(ids.options.make({ draft }), options),
      button(ids.messages.make({ draft }), say.messages),
    ),
  ];
}

/** Never shows the content of the stock. */
export function addProductPreview(
  draft: string,
  product: NewProduct,
  ctx: ViewContext,
  { inCategory, doubtful }: PreviewNotes = {},
): MessagePayload {
  const { info, pricing, categoryId } = product;
  const { price, comparation } = pricing;
  return productCard(
    {
      categoryId,
      pricing: { price, comparation },
      info: { title: info.title, description: info.description ?? "", images: info.images ?? [] },
    },
    ctx,
    {
      heading: heading(product, doubtful, ctx),
      details: details(product, ctx),
      inCategory,
      rows: buttons(draft, ctx.locale),
    },
  );
}
