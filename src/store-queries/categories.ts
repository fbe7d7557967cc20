import { type Choice, longestChoice } from "../basics/choices.ts";
import { folded } from "../basics/folded.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { suggest } from "../views/parts/suggest.ts";
import { dash, label } from "../views/parts/text.ts";
import type { GuildStore } from "./store-cache.ts";

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const titlesInName = 3;

/** Throws a `ProblemError` if the text has no id. */
export function categoryIn(typed: string): string {
  const [id] = uuid.exec(typed) ?? [];
  if (!id) throw new ProblemError({ code: "bad_category" });
  return id;
}

/**
 * Titles of recent products of the category. Empty if the store cannot be read, or if there is no category (""). The product
 * with the id `except` is left out.
 */
export async function titlesInCategory(
  categoryId: string | undefined,
  { cache }: GuildStore,
  except?: string,
): Promise<readonly string[]> {
  if (!categoryId) return [];
  const wanted = categoryId.toLowerCase();
  const recent = await cache.recentProducts().catch(() => []);
  return recent.flatMap(({ id, info, categoryId: of }) =>
    of.toLowerCase() === wanted && id !== except ? info.title : [],
  );
}

/** At most 100 characters, from the titles of the category's products. "" if there are no titles. */
export function categoryName(inside: readonly string[]): string {
  const titles = inside.map((title) => title.trim()).filter(Boolean);
  const more = titles.length > titlesInName ? `, … (${inside.length})` : "";
  return label(`${titles.slice(0, titlesInName).join(", ")}${more}`, longestChoice, "");
}

/** Categories of recently seen products, because the API cannot list categories. */
export async function suggestCategories(typed: string, { cache }: GuildStore): Promise<Choice[]> {
  const products = await cache.recentProducts();
  const byCategory = Map.groupBy(products, ({ categoryId }) => categoryId);
  const categories = [...byCategory].filter(([id]) => uuid.test(id));
  const titlesOf = (inside: typeof products) => inside.map(({ info }) => info.title);
  const nameOf = (inside: typeof products) => categoryName(titlesOf(inside)) || dash;
  return suggest(
    typed,
    categories,
    ([id, inside]) => ({ name: nameOf(inside), value: id }),
    ([id, inside]) => [id, nameOf(inside), ...titlesOf(inside)],
  );
}

/** If the text is the name of exactly one suggestion, returns its id. Any other text stays as typed. Throws `StoreError`. */
export async function categoryTyped(typed: string, shop: GuildStore): Promise<string> {
  if (uuid.test(typed)) return typed;
  const choices = await suggestCategories(typed, shop);
  const [named, ...others] = choices.filter(({ name }) => folded(name) === folded(typed));
  return named && others.length === 0 ? named.value : typed;
}
