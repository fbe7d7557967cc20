import { type Choice, longestChoice } from "../basics/choices.ts";
import { folded } from "../basics/folded.ts";
import type { Locale } from "../basics/locale.ts";
import { firstPages, largestPageSize } from "../store-api/list-pages.ts";
import type { NewProduct, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { pageSize, type ShownPage } from "../views/parts/list-page.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { suggest } from "../views/parts/suggest.ts";
import { label } from "../views/parts/text.ts";
import { answerTimeout } from "./answer-timeout.ts";
import { type ListQuery, oncePerPage, shownPage } from "./search-orders.ts";
import type { GuildStore } from "./store-cache.ts";

/** One search reads at most this many pages. */
const mostPages = 10;
/**
 * Allowed difference between clocks. Answers show the store's time only in whole seconds. The store may also have several
 * machines with different clocks.
 */
const clockSlackMs = 30_000;

const productPages = (store: Store, title: string | undefined, most: number, signal: AbortSignal) =>
  firstPages((page) => store.listProducts({ title, page, limit: largestPageSize }, signal), most);

async function search(
  store: Store,
  titles: readonly string[],
  isWanted: (product: Product) => boolean,
): Promise<Product | undefined> {
  const signal = answerTimeout();
  let left = mostPages;
  for (const title of new Set([...titles, undefined])) {
    for await (const { items } of productPages(store, title, left, signal)) {
      const found = items.find(isWanted);
      if (found) return found;
      left -= 1;
    }
  }
  return undefined;
}

function isSame({ info, pricing, categoryId }: Product, product: NewProduct): boolean {
  return (
    info.title.trim() === product.info.title &&
    pricing.price === product.pricing.price &&
    categoryId.toLowerCase() === product.categoryId.toLowerCase()
  );
}

/**
 * Finds the product that an earlier attempt created: it has the same title, price and category. Products from before the
 * attempt do not count. A product without a creation time counts. `since`: when the attempt began by this process's clock
 * (epoch ms). `not`: ids of products that other attempts created.
 */
export async function findCreated(
  store: Store,
  product: NewProduct,
  since: number,
  now: () => number,
  not: ReadonlySet<string> = new Set(),
): Promise<Product | undefined> {
  for await (const { items, servedAt } of productPages(store, product.info.title, mostPages, answerTimeout())) {
    const behind = now() - (servedAt ?? now());
    const earliest = since - behind - clockSlackMs;
    const isNew = ({ createdAt }: Product) => createdAt === undefined || createdAt >= earliest;
    const found = items.find((candidate) => !not.has(candidate.id) && isSame(candidate, product) && isNew(candidate));
    if (found) return found;
  }
  return undefined;
}

/**
 * The API cannot find a product by its id, so this function searches the products with this title, and then the whole list. If
 * the product is not found, throws a `ProblemError` ("not_found").
 */
export async function findProduct(store: Store, id: string, title: string | undefined): Promise<Product> {
  const found = await search(store, title === undefined ? [] : [title], (product) => product.id === id);
  if (found === undefined) throw new ProblemError({ code: "not_found" });
  return found;
}

/** More than one title, because a product may have been renamed. */
const mostTitles = 3;

/** Whether the store has one of these products. Searches for the last three titles, then the whole list: at most ten pages. */
export async function hasAny(
  store: Store,
  products: readonly { readonly id: string; readonly title: string }[],
): Promise<boolean> {
  const ids = new Set(products.map(({ id }) => id));
  const titles = products.slice(-mostTitles).map(({ title }) => title);
  return (await search(store, titles, ({ id }) => ids.has(id))) !== undefined;
}

/** Returns a page of the list. Reads within the time of {@link answerTimeout}. */
export function productsOn(
  { store }: Pick<GuildStore, "store">,
  { title, categoryId }: ListQuery,
  page: number,
  locale: Locale,
): Promise<ShownPage<Product>> {
  const signal = answerTimeout();
  const read = (number: number) => store.listProducts({ title, categoryId, page: number, limit: pageSize }, signal);
  return shownPage(oncePerPage(read), page, locale);
}

/** Finds a product of a page that was shown earlier. It may have moved since. Throws the errors of {@link findProduct}. */
export async function findListed(
  shop: Pick<GuildStore, "store">,
  query: ListQuery,
  page: number,
  id: string,
  locale: Locale,
): Promise<Product> {
  const { items } = await productsOn(shop, query, page, locale);
  return items.find((listed) => listed.id === id) ?? (await findProduct(shop.store, id, query.title));
}

/** Suggests titles of recently seen products. */
export async function suggestTitles(typed: string, { cache }: Pick<GuildStore, "cache">): Promise<Choice[]> {
  const titles = new Set((await cache.recentProducts()).map(({ info }) => info.title.trim()));
  return suggest(typed, titles, (title) => ({ name: title, value: title }));
}

/** Suggests recently seen products. The value of a choice is the product's id. */
export async function suggestProducts(typed: string, { cache }: GuildStore): Promise<Choice[]> {
  return suggest(typed, await cache.recentProducts(), ({ id, info }) => ({ name: info.title, value: id }));
}

/**
 * Finds a product by its id or whole title, among recently seen products, and then among the first 100 that the store returns
 * for this title. Throws a `StoreError`, or a `ProblemError` ("bad_route") if there is no such product.
 */
export async function productIn(typed: string, { store, cache }: GuildStore): Promise<Product> {
  const wanted = folded(typed);
  const among = (products: readonly Product[]) =>
    products.find(({ id }) => id === typed.trim()) ??
    products.find(({ info }) =>
      [info.title, label(info.title, longestChoice)].some((title) => folded(title) === wanted),
    );
  const found =
    among(await cache.recentProducts()) ??
    among((await store.listProducts({ title: typed.trim(), limit: largestPageSize })).items);
  if (found === undefined) throw new ProblemError({ code: "bad_route", why: "product" });
  return found;
}
