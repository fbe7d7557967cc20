import type { NewProduct } from "../store-api/schemas.ts";
import { stockSummary } from "./add-product-stock.ts";
import { texts } from "./catalogue/catalogue.ts";
import { button, row } from "./components.ts";
import type { ViewContext } from "./context.ts";
import { customId } from "./custom-id.ts";
import { quantity } from "./money.ts";
import type { MessagePayload } from "./payload.ts";
import { productCard } from "./product-card.ts";
import { code, plain } from "./text.ts";

const LINK_MAX = 150;
const EXCERPT_MAX = 200;

function details(product: NewProduct, ctx: ViewContext): string[] {
  const say = texts(ctx.locale).addProduct;
  const { info, inventory, utils, chat } = product;
  const stock = stockSummary(inventory, ctx.locale);
  const messages = chat?.autoMessages ?? [];
  const either = (value: boolean | undefined, yes: string, no: string) =>
    value === undefined ? [] : [value ? yes : no];
  return [
    ...(stock === undefined ? [] : [say.stockFact(inventory.type, stock.full)]),
    ...(info.instructions ? [say.instructionsFact(plain(info.instructions, EXCERPT_MAX))] : []),
    ...(info.youtubeLink ? [say.video(code(info.youtubeLink, LINK_MAX))] : []),
    ...(utils?.minQuantity === undefined ? [] : [say.minQuantity(quantity(utils.minQuantity, ctx.locale))]),
    ...either(utils?.hideSales, say.salesHidden, say.salesShown),
    ...either(utils?.hideProduct, say.productHidden, say.productShown),
    ...(messages.length === 0
      ? either(chat?.enabled, say.chatOn, say.chatOff)
      : [
          chat?.enabled === undefined ? say.chatImplied : chat.enabled ? say.chatOn : say.chatOffAsChosen,
          say.messagesFact(quantity(messages.length, ctx.locale), plain(messages.join(" · "), EXCERPT_MAX)),
        ]),
  ];
}

/**
 * The product as it is going to be, with what deserves a second look, and Create, Edit, Messages and
 * Cancel. The stock is only counted.
 */
export function addProductPreview(draft: string, product: NewProduct, ctx: ViewContext): MessagePayload {
  const { addProduct: say, common } = texts(ctx.locale);
  const { info, pricing, inventory } = product;
  const { price, comparation } = pricing;
  const id = (action: string) => customId("add-product", action, draft);
  return productCard(
    {
      categoryId: product.categoryId,
      pricing: { price, comparation },
      info: { title: info.title, description: info.description ?? "", images: info.images ?? [] },
    },
    ctx,
    {
      heading: [
        say.previewHeading,
        ...(comparation !== undefined && comparation < price ? [say.compareBelow] : []),
        ...(inventory.content ? [] : [say.noStock]),
      ].join("\n"),
      details: details(product, ctx),
      rows: [
        row(
          button(id("create"), common.create, { style: "success" }),
          button(id("edit"), common.edit),
          button(id("messages"), say.messages),
          button(id("cancel"), common.cancel, { style: "danger" }),
        ),
      ],
    },
  );
}
