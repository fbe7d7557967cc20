import { defineCommand, execute } from "../src/define.ts";
import { callerView } from "../src/discord/caller-view.ts";
import type { Caller } from "../src/discord/define-command.ts";
import { pageIn } from "../src/discord/page-number.ts";
import { pagedList } from "../src/discord/paged-list.ts";
import type { Services } from "../src/services.ts";
import { type ListQuery, listOrders } from "../src/store-queries/pages.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "../src/store-queries/statuses.ts";
import { backRow } from "../src/views/list-page.ts";
import { orderCard } from "../src/views/order-card.ts";
import { orderPage } from "../src/views/order-page.ts";

async function seenStatuses({ guildId }: Caller, services: Services) {
  const { store } = await services.connected(guildId);
  return statusesSeen(await services.catalog.recentOrders(guildId, store));
}

async function show(caller: Caller, services: Services, session: string, query: ListQuery, page: number) {
  const { guild, store } = await services.connected(caller.guildId);
  const { statuses, email } = query;
  const { items, ...list } = await listOrders(store, { statuses, email }, page, caller.locale);
  return orderPage({ ...list, orders: items, session, filter: { statuses, email } }, callerView(guild, caller));
}

const pages = pagedList("orders", show);

export const orders = defineCommand({
  name: "orders",
  execute: execute({
    options: {
      status: {
        kind: "string",
        max: 500,
        suggest: async (typed, caller, services) =>
          suggestStatuses(typed, await seenStatuses(caller, services), caller.locale),
      },
      email: { kind: "string", max: 254 },
      page: { kind: "integer", min: 1, max: 1_000_000 },
    },
    answer: "ephemeral",
    async run(caller, services) {
      const { status, email, page } = caller.options;
      // A spelling to go by is worth a request, but no failure.
      const seen = status ? await seenStatuses(caller, services).catch(() => []) : [];
      const statuses = statusesIn(status, seen, caller.locale);
      const query: ListQuery = { statuses, email: email?.trim() || undefined };
      await services.connected(caller.guildId);
      return show(caller, services, await services.lists.keep(caller, query), query, pageIn(page));
    },
  }),

  components: {
    page: pages.page,
    jump: pages.jump,
    clear: pages.clear,
    open: {
      answer: "update",
      async run(press, services) {
        const [session = "", page] = press.args;
        await services.lists.find(session, press);
        const { guild, store } = await services.connected(press.guildId);
        const order = await store.getOrder(press.values[0] ?? "");
        const rows = [backRow("orders", session, pageIn(page), press.locale)];
        return orderCard(order, callerView(guild, press), { rows });
      },
    },
  },

  modals: { jump: pages.jumped },
});
