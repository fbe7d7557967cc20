import type { Caller } from "../src/discord/commands/caller.ts";
import { defineCommand, execute } from "../src/discord/commands/define-command.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { texts } from "../src/locales/texts.ts";
import { categoryIn, categoryTyped, titlesInCategory } from "../src/store-queries/categories.ts";
import { findListed, productsOn, suggestTitles } from "../src/store-queries/find-product.ts";
import { button } from "../src/views/parts/components.ts";
import { customIds, pageIn } from "../src/views/parts/custom-ids.ts";
import { backRow } from "../src/views/parts/list-page.ts";
import { productCard } from "../src/views/products/product-card.ts";
import { productPage } from "../src/views/products/product-page.ts";
import { type ListPlace, listButtons, type OpenedEntry } from "./list-buttons.ts";
import { categoryOption } from "./options.ts";

async function show(caller: Caller, services: Services, { session, query, page }: ListPlace) {
  const shop = await services.connected();
  const { title, categoryId } = query;
  const [list, inCategory] = await Promise.all([
    productsOn(shop, query, page, caller.locale),
    titlesInCategory(categoryId, shop),
  ]);
  const filter = { title, categoryId, inCategory };
  return productPage({ ...list, session, filter }, shop.view);
}

async function open(caller: Caller, services: Services, { id, query, page, session }: OpenedEntry) {
  const shop = await services.connected();
  const product = await shop.cache.open(id, () => findListed(shop, query, page, id, caller.locale));
  const copy = customIds["add-product"].buttons.copy.makeIfFits({ session, page, productId: product.id });
  const copying = copy === undefined ? [] : [button(copy, texts(caller.locale).products.copy)];
  const rows = backRow(customIds.products, session, page, caller.locale, ...copying);
  const inCategory = await titlesInCategory(product.categoryId, shop, product.id);
  return productCard(product, shop.view, { rows, inCategory });
}

const { begin, handlers } = listButtons(customIds.products, show, open);

export const products = defineCommand("products", {
  execute: execute({
    options: {
      title: {
        kind: "string",
        max: 200,
        suggest: async (typed, _, services) => suggestTitles(typed, await services.connected()),
      },
      category: categoryOption,
      page: { kind: "integer", min: 1, max: 1_000_000 },
    },
    async run(caller, services) {
      const { title, category, page } = caller.options;
      const shop = await services.connected();
      const categoryId = category === undefined ? undefined : categoryIn(await categoryTyped(category, shop));
      return begin(caller, services, { title: title?.trim() || undefined, categoryId }, pageIn(page));
    },
  }),

  handlers,
});
