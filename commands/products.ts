import type { Caller } from "../src/discord/define-command.ts";
import { ProblemError } from "../src/discord/problem-error.ts";
import type { Product } from "../src/store-api/schemas.ts";
import type { Store } from "../src/store-api/store-api.ts";
import { backRow, PAGE_SIZE } from "../src/views/list-page.ts";
import { productCard } from "../src/views/product-card.ts";
import { productPage } from "../src/views/product-page.ts";
import { label } from "../src/views/text.ts";
import { callerView } from "./caller-view.ts";
import { categoryIn, suggestCategories } from "./categories.ts";
import { defineCommand, execute } from "./define.ts";
import { type ListQuery, listed, readPage } from "./listing.ts";
import { pageIn } from "./page-number.ts";
import { pagedList } from "./paged-list.ts";
import type { Services } from "./services.ts";

/** The API reads no single product, so one is looked for in its list: this many pages of 100. */
const mostPages = 5;
const apiPageSize = 100;

async function findProduct(store: Store, id: string): Promise<Product> {
  let lastPage = 1;
  for (let page = 1; page <= Math.min(lastPage, mostPages); page++) {
    const answer = await store.listProducts({ page, limit: apiPageSize });
    const found = answer.items.find((product) => product.id === id);
    if (found) return found;
    lastPage = answer.lastPage;
  }
  throw new ProblemError({ code: "not_found" });
}

const pageQuery = ({ title, categoryId }: ListQuery, page: number) => ({ title, categoryId, page, limit: PAGE_SIZE });

async function show(caller: Caller, services: Services, session: string, query: ListQuery, page: number) {
  const { guild, store } = await services.connected(caller.guildId);
  const answer = await readPage((number) => store.listProducts(pageQuery(query, number)), page);
  const { items, ...list } = listed(answer, page, caller.locale);
  return productPage({ ...list, products: items, session }, callerView(guild, caller));
}

const pages = pagedList("products", show);

async function suggestTitles(typed: string, { guildId }: Caller, services: Services) {
  const { store } = await services.connected(guildId);
  const wanted = typed.trim().toLowerCase();
  const titles = (await services.catalog.recentProducts(guildId, store)).map(({ info }) => info.title.trim());
  return [...new Set(titles)]
    .filter((title) => title !== "" && title.length <= 100 && title.toLowerCase().includes(wanted))
    .map((title) => ({ name: label(title, 100), value: title }));
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
      const { title, category, page = 1 } = caller.options;
      const query: ListQuery = {
        title: title?.trim() || undefined,
        categoryId: category === undefined ? undefined : categoryIn(category),
      };
      await services.connected(caller.guildId);
      return show(caller, services, await services.lists.keep(caller, query), query, page);
    },
  }),

  components: {
    page: pages.page,
    jump: pages.jump,
    open: {
      answer: "update",
      async run(press, services) {
        const [session = "", page] = press.args;
        const query = await services.lists.find(session, press);
        const { guild, store } = await services.connected(press.guildId);
        const id = press.values[0] ?? "";
        const { items } = await readPage((number) => store.listProducts(pageQuery(query, number)), pageIn(page));
        const product = items.find((listed) => listed.id === id) ?? (await findProduct(store, id));
        const rows = [backRow("products", session, pageIn(page), press.locale)];
        return productCard(product, callerView(guild, press), { rows });
      },
    },
    show: {
      answer: "ephemeral",
      async run(press, services) {
        const { guild, store } = await services.connected(press.guildId);
        return productCard(await findProduct(store, press.args[0] ?? ""), callerView(guild, press));
      },
    },
  },

  modals: { jump: pages.jumped },
});
