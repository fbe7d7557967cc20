import { type Choice, longestChoice } from "../basics/choices.ts";
import { folded } from "../basics/folded.ts";
import type { Locale } from "../basics/locale.ts";
import type { Order } from "../store-api/schemas.ts";
import { methodWord } from "../views/orders/payment-method.ts";
import { suggest } from "../views/parts/suggest.ts";
import { label } from "../views/parts/text.ts";

/** The key is the name in a suggestion, the value is the store's spelling. */
function methodsOf(orders: readonly Order[], locale: Locale): ReadonlyMap<string, string> {
  const seen = new Set(orders.map((order) => order.paymentMethod.trim()).filter(Boolean));
  return new Map(
    [...seen].map((method) => {
      const word = methodWord(method, locale);
      return [folded(word) === folded(method) ? method : `${word} (${method})`, method] as const;
    }),
  );
}

export const suggestMethods = (typed: string, orders: readonly Order[], locale: Locale): Choice[] =>
  suggest(typed, methodsOf(orders, locale), ([name, value]) => ({ name, value }));

/**
 * Returns the store's spelling of a payment method. A person may type a suggestion's name, or the word for the method in the
 * person's language. Any other text stays as typed.
 */
export function methodIn(typed: string, orders: readonly Order[], locale: Locale): string {
  const wanted = folded(typed);
  const named = [...methodsOf(orders, locale)].find(([name, method]) =>
    [name, label(name, longestChoice), methodWord(method, locale)].some((one) => folded(one) === wanted),
  );
  return named?.[1] ?? typed.trim();
}
