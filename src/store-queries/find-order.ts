import type { Locale } from "../basics/locale.ts";
import { isOrderId, type Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { statusWord } from "../views/orders/status.ts";
import type { ViewContext } from "../views/parts/context.ts";
import { customerText } from "../views/parts/masked-customer.ts";
import { money } from "../views/parts/money.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { suggest } from "../views/parts/suggest.ts";
import type { GuildStore } from "./store-cache.ts";

/** A pasted link may also contain the store's id. So the uuid after "order" counts, or the last uuid if there is no "order". */
const uuids = /(orders?[/=:#?]*)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi;

const link = /^https?:\/\//i;

const isUuid = (id: string): boolean => id.replace(uuids, "") === "";

/** Lists, alerts for several orders, and suggestions of orders with UUIDs show this many characters of an id. */
const shownOfId = 8;
/** Between the parts of a suggestion's name. The first part is the id or its beginning. */
const divider = " · ";

function recentBeginning(id: string, recent: readonly Order[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "");
  const start = plain(id);
  if (start.length < shownOfId) return undefined;
  const [found, ...others] = recent.filter((order) => plain(order.id).startsWith(start));
  return others.length === 0 ? found?.id : undefined;
}

/**
 * Finds an order's id in a typed text. In a link, the id is the uuid. In other texts, it is the first of these that applies:
 *
 * - the whole text, if a known order has this id
 * - a uuid in the text
 * - the whole text, if the store has orders whose ids are no uuids
 * - the id of the only recent order whose id begins with the text
 *
 * The name of a suggestion counts as its first part.
 *
 * Throws a `ProblemError` if none applies, or a `StorageError`. The last case may throw a `StoreError`.
 */
export async function orderIdIn(
  typed: string,
  { guildId, cache }: Pick<GuildStore, "guildId" | "cache">,
  { alerts }: { readonly alerts: { idsKnown(guildId: string): Promise<readonly string[]> } },
): Promise<string> {
  const matches = [...typed.replace(/\s+/g, "").matchAll(uuids)];
  const [, , uuid] = matches.find(([, order]) => order) ?? matches.at(-1) ?? [];
  const [text = "", ...others] = typed.trim().split(divider);
  if (uuid && (uuid === text || link.test(text))) return uuid;
  const announced = await alerts.idsKnown(guildId);
  const recent = cache.recentOrders();
  const listed = await recent.catch(() => []);
  const known = [...announced, ...listed.map((order) => order.id)];
  const found = known.includes(text) ? text : uuid;
  if (found) return found;
  const id = text.replace(/^#/, "");
  const hasOthers = !known.every(isUuid);
  if (hasOthers && others.length === 0 && isOrderId(id)) return id;
  const begun = recentBeginning(id, await recent);
  if (begun === undefined) throw new ProblemError({ code: "bad_uuid" });
  return begun;
}

/** Throws `StoreError`. */
export function findOrder(store: Pick<Store, "getOrder">, id: string): Promise<Order> {
  return store.getOrder(id).catch((error: unknown) => {
    // A person may have typed the id in capitals.
    const lower = id.toLowerCase();
    if (lower === id || !(error instanceof StoreError) || error.code !== "not_found") throw error;
    return store.getOrder(lower);
  });
}

/** Customers are searched and shown only if the server's privacy setting allows it. */
export async function suggestOrders(
  typed: string,
  locale: Locale,
  { cache }: GuildStore,
  settings: Pick<ViewContext, "currency" | "privacy">,
) {
  const titlesOf = ({ items }: Order) => items.map(({ productTitle }) => productTitle).join(", ");
  const customerOf = ({ customer }: Order) => customerText(customer, settings.privacy);
  function choiceOf(order: Order) {
    const amount = money(order.pricing.total, { ...settings, locale });
    const status = statusWord(order.status, locale);
    // Other ids may all begin in the same way, such as ORDER1041 and ORDER1042.
    const id = isUuid(order.id) ? order.id.slice(0, shownOfId) : order.id;
    const parts = [id, status, amount, titlesOf(order), customerOf(order)].filter(Boolean);
    return { name: parts.join(divider), value: order.id };
  }
  const textsOf = (order: Order) => [order.id, titlesOf(order), customerOf(order)];
  return suggest(typed, await cache.recentOrders(), choiceOf, textsOf);
}
