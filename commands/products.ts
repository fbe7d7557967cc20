import { firstChoices, searchFor } from "../src/basics/choices.ts";
import { defineCommand, execute } from "../src/define.ts";
import { callerView } from "../src/discord/caller-view.ts";
import type { Caller } from "../src/discord/define-command.ts";
import { pageIn } from "../src/discord/page-number.ts";
import { pagedList } from "../src/discord/paged-list.ts";
import type { Services } from "../src/services.ts";
import { categoryIn, seenInCategory, suggestCategories } from "../src/store-queries/categories.ts";
import { findProduct } from "../src/store-queries/find-product.ts";
import { type ListQuery, listed, readPage } from "../src/store-queries/pages.ts";
import { backRow, PAGE_SIZE } from "../src/views/list-page.ts";
import { productCard } from "../src/views/product-card.ts";
import { productPage } from "../src/views/product-page.ts";
import { label } from "../src/views/text.ts";

const pageQuery = ({ title, categoryId }: ListQuery, page: number) => ({ title, categoryId, page, limit: PAGE_SIZE });

async function show(caller: Caller, services: Services, session: string, query: ListQuery, page: number) {
  const { guild, store } = await services.connected(caller.guildId);
  const { title, categoryId } = query;
  const [answer, inCategory] = await Promise.all([
    readPage((number) => store.listProducts(pageQuery(query, number)), page),
    seenInCategory(categoryId, caller, store, services),
  ]);
  const { items, ...list } = listed(answer, page, caller.locale);
  const filter = { title, categoryId, inCategory: inCategory.map(({ info }) => info.title) };
  return productPage({ ...list, products: items, session, filter }, callerView(guild, caller));
}

const pages = pagedList("products", show);

async function suggestTitles(typed: string, { guildId }: Caller, services: Services) {
  const { store } = await services.connected(guildId);
  const isWanted = searchFor(typed);
  const titles = (await services.catalog.recentProducts(guildId, store)).map(({ info }) => info.title.trim());
  return firstChoices(new Set(titles), (title) =>
    title !== "" && title.length <= 100 && isWanted(title) ? { name: label(title, 100), value: title } : undefined,
  );
}

export const products = defineCommand({
  name: "products",
  execute: execute({
    options: {
      title: { kind: "string", max: 200, suggest: suggestTitles },
      category: { kind: "string", max: 100, suggest: suggestCategories },
      page: { kind: "integer", min: 1, max: 1_000_000 },
    },
    answer: "ephemeral",
    async run(caller, services) {
      const { title, category, page } = caller.options;
      const query: ListQuery = {
        title: title?.trim() || undefined,
        categoryId: category === undefined ? undefined : categoryIn(category),
      };
      await services.connected(caller.guildId);
      return show(caller, services, await services.lists.keep(caller, query), query, pageIn(page));
    },
  }),

  components: {
    page: pages.page,
    jump: pages.jump,
    clear: pages.clear,
    open: {
      answer: "update",
      async run(press, services) {
        const [session = "", page] = press.args;
        const query = await services.lists.find(session, press);
        const { guild, store } = await services.connected(press.guildId);
        const id = press.values[0] ?? "";
        const { items } = await readPage((number) => store.listProducts(pageQuery(query, number)), pageIn(page));
        const shop = { guildId: press.guildId, store, catalog: services.catalog };
        const product = items.find((listed) => listed.id === id) ?? (await findProduct(shop, id, query.title));
        const rows = [backRow("products", session, pageIn(page), press.locale)];
        const seen = await seenInCategory(product.categoryId, press, store, services);
        const inCategory = seen.filter((other) => other.id !== product.id).map(({ info }) => info.title);
        return productCard(product, callerView(guild, press), { rows, inCategory });
      },
    },
  },

  modals: { jump: pages.jumped },
});
