import { type Caller, customersFor } from "../src/discord/commands/caller.ts";
import { defineCommand, execute } from "../src/discord/commands/define-command.ts";
import type { Connected, Services } from "../src/discord/commands/services.ts";
import { customerOrders, sumsOf } from "../src/store-queries/customer-orders.ts";
import { customerPage } from "../src/views/orders/customer-page.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import { listNotes, pageFrom } from "../src/views/parts/list-page.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { type ListPlace, listButtons, type OpenedEntry } from "./list-buttons.ts";
import { customerList, showOrder } from "./show-order.ts";

const wholeAddress = /^[^\s@]+@[^\s@]+$/;

async function openTo(caller: Caller, services: Services): Promise<Connected> {
  const connected = await services.connected();
  if (customersFor(caller, connected.guild.settings.privacy) === "none")
    throw new ProblemError({ code: "customers_hidden" });
  return connected;
}

/** The e-mail address is stored in a session, so that no custom id contains it. */
async function show(caller: Caller, services: Services, { session, query, page }: ListPlace) {
  const { email = "" } = query;
  const { view, store } = await openTo(caller, services);
  const { orders, isAll, scanned, isFilteredHere, skipped } = await customerOrders(store, email);
  const onlyFirst = isAll ? undefined : scanned;
  return customerPage(
    {
      session,
      ...pageFrom(orders, page),
      // E-mail address and name as the store spells them.
      customer: {
        email: orders[0]?.customer.email ?? email,
        name: orders.find(({ customer }) => customer.name !== "")?.customer.name ?? "",
      },
      sums: { ...sumsOf(orders), isAll },
      notes: listNotes({ isIgnored: isFilteredHere, onlyFirst, skipped }, caller.locale),
    },
    view,
  );
}

async function open(caller: Caller, services: Services, { id, session, page }: OpenedEntry) {
  const shop = await openTo(caller, services);
  return showOrder(caller, services, await shop.store.getOrder(id), shop, { session, page, list: customerList });
}

const { begin, handlers } = listButtons(customIds.customer, show, open);

export const customer = defineCommand("customer", {
  execute: execute({
    // The option has no suggestions, because they would show addresses of other customers.
    options: { email: { kind: "string", required: true, max: 254 } },
    async run(caller, services) {
      await openTo(caller, services);
      const email = caller.options.email.trim();
      if (!wholeAddress.test(email)) throw new ProblemError({ code: "bad_email" });
      return begin(caller, services, { email });
    },
  }),

  handlers: {
    ...handlers,
    buttons: {
      page: handlers.buttons.page,
      jump: handlers.buttons.jump,
      // The answer appears below the order's card.
      orders: {
        answer: "ephemeral",
        async run(press, services) {
          const { store } = await openTo(press, services);
          const { customer: theirs } = await store.getOrder(press.args.id);
          if (theirs.email === "") throw new ProblemError({ code: "not_found" });
          return begin(press, services, { email: theirs.email });
        },
      },
    },
  },
});
