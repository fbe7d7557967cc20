import { texts } from "../../locales/texts.ts";
import type { Product } from "../../store-api/schemas.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { listPage, type SessionPage } from "../parts/list-page.ts";
import { money } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { plain, shortId } from "../parts/text.ts";
import { categoryText, priceLine } from "./product-card.ts";

function entry(product: Product, ctx: ViewContext) {
  const say = texts(ctx.locale).products;
  const description = plain(product.info.description, 120, "");
  return {
    text: [
      `${shortId(product.id)} · ${plain(product.info.title, 100, say.untitled)} · ${priceLine(product.pricing, ctx)}`,
      ...(description === "" ? [] : [`-# ${description}`]),
    ].join("\n"),
    option: {
      value: product.id,
      name: product.info.title || say.untitled,
      description: `${money(product.pricing.price, ctx)} · ${product.id.slice(0, 8)}`,
    },
  };
}

export interface ProductFilter {
  readonly title?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly inCategory?: readonly string[];
}

function filterFacts({ title, categoryId, inCategory = [] }: ProductFilter, { locale }: ViewContext): string[] {
  const say = texts(locale).products;
  return [
    ...(title === undefined ? [] : [`${say.title}: ${plain(title, 100)}`]),
    ...(categoryId === undefined ? [] : [`${say.category}: ${categoryText(categoryId, inCategory, locale)}`]),
  ];
}

export function productPage(
  list: SessionPage<Product> & { readonly filter?: ProductFilter },
  ctx: ViewContext,
): MessagePayload {
  return listPage(
    {
      ...list,
      ids: customIds.products,
      say: texts(ctx.locale).products,
      filter: filterFacts(list.filter ?? {}, ctx),
      entry: (product) => entry(product, ctx),
    },
    ctx.locale,
  );
}
