import { sampleId } from "../src/alerts/sample.ts";
import { firstChoices, searchFor } from "../src/basics/choices.ts";
import { type Caller, customersFor } from "../src/discord/caller.ts";
import { defineCommand, execute, handle, type Services } from "../src/services.ts";
import { StoreError } from "../src/store-api/store-api.ts";
import { texts } from "../src/views/catalogue/catalogue.ts";
import { row } from "../src/views/components.ts";
import { callerView } from "../src/views/context.ts";
import { customIds } from "../src/views/custom-ids.ts";
import { customerLine } from "../src/views/customer.ts";
import { theirOrders } from "../src/views/customer-page.ts";
import { money } from "../src/views/money.ts";
import { notice } from "../src/views/notice.ts";
import { orderCard } from "../src/views/order-card.ts";
import { ProblemError } from "../src/views/problem.ts";
import { statusWord } from "../src/views/status.ts";
import { label } from "../src/views/text.ts";

/** In a link to an order the store's own id may stand before: what follows "order" counts, or else the last one. */
const uuids = /(orders?[/=:#?]*)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi;
/** Discord's limits on a choice's name. */
const choiceNameMax = 100;

/** An order id out of what was typed or pasted: with spaces around or inside, or in a link. Throws a `ProblemError`. */
function orderIdIn(typed: string): string {
  const found = [...typed.replace(/\s+/g, "").matchAll(uuids)];
  const [, , id] = found.find(([, order]) => order) ?? found.at(-1) ?? [];
  if (!id) throw new ProblemError({ code: "bad_uuid" });
  return id;
}

async function card(caller: Caller, services: Services, typed: string) {
  const id = orderIdIn(typed);
  const { guild, store } = await services.connected(caller.guildId);
  const order = await store.getOrder(id).catch((error: unknown) => {
    // Ids are shown as the store writes them; typed by hand they may have other capitals.
    const lower = id.toLowerCase();
    if (lower === id || !(error instanceof StoreError) || error.code !== "not_found") throw error;
    return store.getOrder(lower);
  });
  const buttons = theirOrders(order, customersFor(caller, guild.settings.privacy), caller);
  return orderCard(order, callerView(guild.settings, caller.locale), {
    rows: buttons.length > 0 ? [row(...buttons)] : [],
  });
}

/** Recent orders whose id, product or (where the server's privacy lets it be shown) customer has the typed text in it. */
async function suggest(typed: string, caller: Caller, services: Services) {
  const { guild, store, seen } = await services.connected(caller.guildId);
  const { settings } = guild;
  const isWanted = searchFor(typed);
  const orders = await seen.recentOrders(caller.guildId, store);
  return firstChoices(orders, (order) => {
    const customer = settings.privacy === "none" ? undefined : customerLine(order.customer, settings.privacy);
    const titles = order.items.map(({ productTitle }) => productTitle).join(", ");
    if (![order.id, titles, customer ?? ""].some(isWanted)) return undefined;
    const amount = money(order.pricing.total, { ...settings, locale: caller.locale });
    const status = statusWord(order.status, caller.locale);
    const parts = [order.id.slice(0, 8), status, amount, titles, ...(customer ? [customer] : [])];
    return { name: label(parts.join(" · "), choiceNameMax), value: order.id };
  });
}

export const order = defineCommand("order", {
  execute: execute({
    options: { id: { kind: "string", required: true, max: 1_000, suggest } },
    answer: "ephemeral",
    run: (caller, services) => card(caller, services, caller.options.id),
  }),

  handlers: handle(customIds.order, {
    // On an alert, which everybody in the channel sees: the answer is the presser's alone.
    buttons: {
      open: {
        answer: "ephemeral",
        run: async (press, services) =>
          press.args.id === sampleId
            ? notice(texts(press.locale).setUp.isSample)
            : card(press, services, press.args.id),
      },
    },
    menus: {
      pick: { answer: "ephemeral", run: (choice, services) => card(choice, services, choice.value ?? "") },
    },
    windows: {},
  }),
});
