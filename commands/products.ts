import type { Caller } from "../src/discord/define-command.ts";
import { ProblemError } from "../src/discord/problem-error.ts";
import type { Product } from "../src/store-api/schemas.ts";
import type { Store } from "../src/store-api/store-api.ts";
import type { ActionRow } from "../src/views/components.ts";
import { customId } from "../src/views/custom-id.ts";
import { backRow, PAGE_SIZE } from "../src/views/list-page.ts";
import { jumpModal } from "../src/views/modals.ts";
import { productCard } from "../src/views/product-card.ts";
import { productPage } from "../src/views/product-page.ts";
import { label } from "../src/views/text.ts";
import { callerView } from "./caller-view.ts";
import { categoryIn, suggestCategories } from "./categories.ts";
import { defineCommand, execute } from "./define.ts";
import { type ListQuery, listed } from "./listing.ts";
import { pageIn, pageNumber } from "./page-number.ts";
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

async function show(caller: Caller, services: Services, session: string, query: ListQuery, page: number) {
  const { guild, store } = await services.connected(caller.guildId);
  const { title, categoryId } = query;
  const answer = await store.listProducts({ title, categoryId, page, limit: PAGE_SIZE });
  const { items, ...list } = listed(answer, page, caller.locale);
  return productPage({ ...list, products: items, session }, callerView(guild, caller));
}

async function card(caller: Caller, services: Services, id: string, rows: readonly ActionRow[]) {
  const { guild, store } = await services.connected(caller.guildId);
  const recent = await services.catalog.recentProducts(caller.guildId, store);
  const product = recent.find((known) => known.id === id) ?? (await findProduct(store, id));
  return productCard(product, callerView(guild, caller), { rows });
}

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
    page: {
      answer: "update",
      async run(press, services) {
        const [session = "", page] = press.args;
        return show(press, services, session, await services.lists.find(session, press), pageIn(page));
      },
    },
    open: {
      answer: "update",
      async run(press, services) {
        const [session = "", page] = press.args;
        await services.lists.find(session, press);
        return card(press, services, press.values[0] ?? "", [backRow("products", session, pageIn(page), press.locale)]);
      },
    },
    show: { answer: "ephemeral", run: (press, services) => card(press, services, press.args[0] ?? "", []) },
    jump: {
      answer: "modal",
      async run({ args, locale }) {
        const [session = "", lastPage = "1"] = args;
        return jumpModal(customId("products", "jump", session, lastPage), pageIn(lastPage), locale);
      },
    },
  },

  modals: {
    jump: {
      answer: "update",
      async run(submission, services) {
        const [session = "", lastPage] = submission.args;
        const query = await services.lists.find(session, submission);
        return show(submission, services, session, query, pageNumber(submission.fields.page, lastPage));
      },
    },
  },
});
