import type { Locale } from "../src/basics/locale.ts";
import type { Caller } from "../src/discord/commands/caller.ts";
import { defineCommand, execute } from "../src/discord/commands/define-command.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { texts } from "../src/locales/texts.ts";
import type { Store } from "../src/store-api/store-api.ts";
import { listFree, listTaken, withFreeStatuses } from "../src/store-queries/orders-by-handling.ts";
import { type ListQuery, searchOrders } from "../src/store-queries/search-orders.ts";
import { orderPage } from "../src/views/orders/order-page.ts";
import { statusWord } from "../src/views/orders/status.ts";
import { customIds, pageIn } from "../src/views/parts/custom-ids.ts";
import { plain } from "../src/views/parts/text.ts";
import { type ListPlace, listButtons, type OpenedEntry } from "./list-buttons.ts";
import { statusesOption, statusesTyped } from "./options.ts";
import { showOrder } from "./show-order.ts";

/** The filter `handling` needs the bot's records, because the API does not know who took an order. */
async function listed(
  { guildId, userId, locale }: Caller,
  { handling }: Services,
  query: ListQuery,
  page: number,
  store: Store,
) {
  if (query.handling === undefined) return searchOrders(store, query, page, locale);
  if (query.handling === "free") return listFree(store, query, (ids) => handling.of(guildId, ids), page, locale);
  const isWanted = (by: string) => (by === userId) === (query.handling === "mine");
  const ids = (await handling.taken(guildId)).flatMap(({ id, take }) => (isWanted(take.by) ? [id] : []));
  return listTaken(store, ids, query, page, locale);
}

function filterFacts({ statuses, email, handling }: ListQuery, locale: Locale): string[] {
  const { orders: say, commands } = texts(locale);
  const { options } = commands.orders;
  const words = new Set(statuses?.map((status) => statusWord(status, locale)));
  // The type demands a line for each filter.
  const facts: Readonly<Record<Exclude<keyof ListQuery, "title" | "categoryId">, string | undefined>> = {
    statuses: words.size === 0 ? undefined : `${say.status}: ${plain([...words].join(", "), 150)}`,
    email: email && `${options.email.label}: ${plain(email, 100)}`,
    handling: handling && `${options.handling.label}: ${options.handling.choices[handling]}`,
  };
  return Object.values(facts).filter((fact) => fact !== undefined);
}

async function show(caller: Caller, services: Services, { session, query: asked, page }: ListPlace) {
  const shop = await services.connected();
  const query = withFreeStatuses(asked, shop.guild);
  const list = await listed(caller, services, query, page, shop.store);
  const ids = list.items.map(({ id }) => id);
  const takes = await services.handling.of(caller.guildId, ids);
  return orderPage({ ...list, session, filter: filterFacts(query, caller.locale), takes }, shop.view);
}

async function open(caller: Caller, services: Services, { id, session, page }: OpenedEntry) {
  const shop = await services.connected();
  return showOrder(caller, services, await shop.store.getOrder(id), shop, { session, page });
}

const { begin, handlers } = listButtons(customIds.orders, show, open);

export const orders = defineCommand("orders", {
  execute: execute({
    options: {
      status: statusesOption,
      email: { kind: "string", max: 254 },
      handling: { kind: "string", choices: ["mine", "free", "someones"] },
      page: { kind: "integer", min: 1, max: 1_000_000 },
    },
    async run(caller, services) {
      const { status, email, handling, page } = caller.options;
      await services.connected();
      const statuses = await statusesTyped(status, caller, services);
      return begin(caller, services, { statuses, email: email?.trim() || undefined, handling }, pageIn(page));
    },
  }),

  handlers,
});
