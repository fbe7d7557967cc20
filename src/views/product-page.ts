import type { Product } from "../store-api/schemas.ts";
import { texts } from "./catalogue/catalogue.ts";
import { ACCENT } from "./components.ts";
import type { ViewContext } from "./context.ts";
import { listPage, PAGE_SIZE, type Paging } from "./list-page.ts";
import { money } from "./money.ts";
import type { MessagePayload } from "./payload.ts";
import { priceLine } from "./product-card.ts";
import { plain, shortId } from "./text.ts";

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
      label: product.info.title || say.untitled,
      description: `${money(product.pricing.price, ctx)} · ${product.id.slice(0, 8)}`,
    },
  };
}

/** A page of products (`PAGE_SIZE` at most are shown). Custom ids: `products:page|open:<session>:<page>`, `products:jump:<session>:<last page>`. */
export function productPage(
  list: Paging & { readonly products: readonly Product[] },
  ctx: ViewContext,
): MessagePayload {
  const say = texts(ctx.locale).products;
  return listPage(
    {
      ...list,
      command: "products",
      color: ACCENT,
      title: say.list,
      empty: say.empty,
      emptyPage: say.emptyPage,
      pick: say.pick,
      entries: list.products.slice(0, PAGE_SIZE).map((product) => entry(product, ctx)),
    },
    ctx.locale,
  );
}
