import { type Choice, firstChoices, longestChoice, searchFor } from "../basics/choices.ts";
import { folded } from "../basics/folded.ts";
import type { Locale } from "../basics/locale.ts";
import { largestPageSize } from "../store-api/listing.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import { paymentMethod } from "../views/orders/payment-method.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { label } from "../views/parts/text.ts";
import type { GuildStore } from "./guild-store.ts";

/** Suggests recently seen products by title. The value is the id. */
export async function suggestProducts(typed: string, { guildId, store, cache }: GuildStore): Promise<Choice[]> {
  const isWanted = searchFor(typed);
  return firstChoices(await cache.recentProducts(guildId, store), ({ id, info }) =>
    id.length <= longestChoice && isWanted(info.title)
      ? { name: label(info.title, longestChoice), value: id }
      : undefined,
  );
}

/**
 * Finds the product that a person chose, or whose whole title a person typed, among recently seen products and the first
 * 100 that the store finds by that title. Throws `StoreError`, or a `ProblemError` ("bad_route") if there is none.
 */
export async function productIn(typed: string, { guildId, store, cache }: GuildStore): Promise<Product> {
  const wanted = folded(typed);
  const among = (products: readonly Product[]) =>
    products.find(({ id }) => id === typed.trim()) ??
    products.find(({ info }) =>
      [info.title, label(info.title, longestChoice)].some((title) => folded(title) === wanted),
    );
  const found =
    among(await cache.recentProducts(guildId, store)) ??
    among((await store.listProducts({ title: typed.trim(), limit: largestPageSize })).items);
  if (found === undefined) throw new ProblemError({ code: "bad_route", why: "product" });
  return found;
}

/** Lists the payment methods of these orders in the store's spelling, each once, by the names that a menu shows. */
function methodsOf(orders: readonly Order[], locale: Locale): ReadonlyMap<string, string> {
  const seen = new Set(orders.map((order) => order.paymentMethod.trim()).filter(Boolean));
  return new Map(
    [...seen].map((method) => {
      const word = paymentMethod(method, locale, longestChoice);
      return [folded(word) === folded(method) ? method : `${word} (${method})`, method] as const;
    }),
  );
}

/** Suggests payment methods of recent orders. */
export function suggestMethods(typed: string, orders: readonly Order[], locale: Locale): Choice[] {
  const isWanted = searchFor(typed);
  return firstChoices(methodsOf(orders, locale), ([name, method]) =>
    method.length <= longestChoice && isWanted(name) ? { name: label(name, longestChoice), value: method } : undefined,
  );
}

/** Turns a suggestion's name, or the reader's word for a method, into the store's spelling. Other text stays as typed. */
export function methodIn(typed: string, orders: readonly Order[], locale: Locale): string {
  const wanted = folded(typed);
  const named = [...methodsOf(orders, locale)].find(([name, method]) =>
    [name, label(name, longestChoice), paymentMethod(method, locale, longestChoice)].some(
      (one) => folded(one) === wanted,
    ),
  );
  return named?.[1] ?? typed.trim();
}
