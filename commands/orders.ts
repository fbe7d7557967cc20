import { type Caller, customersFor } from "../src/discord/caller.ts";
import { pagedList } from "../src/discord/paged-list.ts";
import { defineCommand, execute, handle, type Services } from "../src/services.ts";
import { type ListQuery, listOrders } from "../src/store-queries/pages.ts";
import type { Shop } from "../src/store-queries/shop.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "../src/store-queries/statuses.ts";
import { callerView } from "../src/views/context.ts";
import { customIds, pageIn } from "../src/views/custom-ids.ts";
import { theirOrders } from "../src/views/customer-page.ts";
import { backRow } from "../src/views/list-page.ts";
import { orderCard } from "../src/views/order-card.ts";
import { orderPage } from "../src/views/order-page.ts";

const seenStatuses = async ({ guildId, store, seen }: Shop) => statusesSeen(await seen.recentOrders(guildId, store));

async function show(caller: Caller, services: Services, session: string, query: ListQuery, page: number) {
  const { guild, store } = await services.connected(caller.guildId);
  const { statuses, email } = query;
  const { items, ...list } = await listOrders(store, { statuses, email }, page, caller.locale);
  const filter = { statuses, email };
  return orderPage({ ...list, orders: items, session, filter }, callerView(guild.settings, caller.locale));
}

const pages = pagedList(customIds.orders, show);

export const orders = defineCommand("orders", {
  execute: execute({
    options: {
      status: {
        kind: "string",
        max: 500,
        suggest: async (typed, { guildId, locale }, services) =>
          suggestStatuses(typed, await seenStatuses(await services.connected(guildId)), locale),
      },
      email: { kind: "string", max: 254 },
      page: { kind: "integer", min: 1, max: 1_000_000 },
    },
    answer: "ephemeral",
    async run(caller, services) {
      const { status, email, page } = caller.options;
      const shop = await services.connected(caller.guildId);
      // A spelling to go by is worth a request, but no failure.
      const seen = status ? await seenStatuses(shop).catch(() => []) : [];
      const statuses = statusesIn(status, seen, caller.locale);
      const query: ListQuery = { statuses, email: email?.trim() || undefined };
      return show(caller, services, await services.lists.keep(caller, query), query, pageIn(page));
    },
  }),

  handlers: handle(customIds.orders, {
    ...pages,
    menus: {
      open: {
        answer: "update",
        async run(choice, services) {
          const { session, page } = choice.args;
          await services.lists.find(session, choice);
          const { guild, store } = await services.connected(choice.guildId);
          const order = await store.getOrder(choice.value ?? "");
          const theirs = theirOrders(order, customersFor(choice, guild.settings.privacy), choice);
          const rows = [backRow(customIds.orders, session, page, choice.locale, theirs)];
          return orderCard(order, callerView(guild.settings, choice.locale), { rows });
        },
      },
    },
  }),
});
