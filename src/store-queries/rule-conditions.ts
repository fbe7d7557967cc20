import { type Choice, firstChoices, longestChoice, searchFor } from "../basics/choices.ts";
import { folded } from "../basics/folded.ts";
import type { Locale } from "../basics/locale.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import { paymentMethod } from "../views/orders/payment-method.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { label } from "../views/parts/text.ts";
import type { GuildStore } from "./store-cache.ts";

/** The value of a choice is the product's id. */
export async function suggestProducts(typed: string, { cache }: GuildStore): Promise<Choice[]> {
  const isWanted = searchFor(typed);
  return firstChoices(await cache.recentProducts(), ({ id, info }) =>
    isWanted(info.title) ? { name: label(info.title, longestChoice), value: id } : undefined,
  );
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

/** The key is the name in a suggestion, the value is the store's spelling. */
function methodsOf(orders: readonly Order[], locale: Locale): ReadonlyMap<string, string> {
  const seen = new Set(orders.map((order) => order.paymentMethod.trim()).filter(Boolean));
  return new Map(
    [...seen].map((method) => {
      const word = paymentMethod(method, locale, longestChoice);
      return [folded(word) === folded(method) ? method : `${word} (${method})`, method] as const;
    }),
  );
}

export function suggestMethods(typed: string, orders: readonly Order[], locale: Locale): Choice[] {
  const isWanted = searchFor(typed);
  return firstChoices(methodsOf(orders, locale), ([name, method]) =>
    isWanted(name) ? { name: label(name, longestChoice), value: method } : undefined,
  );
}

/**
 * Returns the store's spelling of a payment method. A person may type a suggestion's name, or the word for the method in the
 * person's language. Any other text stays as typed.
 */
export function methodIn(typed: string, orders: readonly Order[], locale: Locale): string {
  const wanted = folded(typed);
  const named = [...methodsOf(orders, locale)].find(([name, method]) =>
    [name, label(name, longestChoice), paymentMethod(method, locale, longestChoice)].some(
      (one) => folded(one) === wanted,
    ),
  );
  return named?.[1] ?? typed.trim();
}
