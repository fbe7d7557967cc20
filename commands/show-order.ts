import { type Caller, customersFor } from "../src/discord/commands/caller.ts";
import type { Connected, Services } from "../src/services.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { theirOrders } from "../src/views/orders/customer-page.ts";
import { handlingButtons } from "../src/views/orders/handling.ts";
import { orderCard } from "../src/views/orders/order-card.ts";
import { row } from "../src/views/parts/components.ts";
import { callerView } from "../src/views/parts/context.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import type { ActionRow } from "../src/views/parts/payload.ts";

const rowOf = (buttons: Parameters<typeof row>): ActionRow[] => (buttons.length > 0 ? [row(...buttons)] : []);

/**
 * Makes the card of one order, with its buttons. `from.alert` is the id of the alert message from which it was opened,
 * `from.back` makes the row that leads back to a list.
 */
export async function showOrder(
  caller: Caller,
  services: Services,
  order: Order,
  { settings }: Connected["guild"],
  from: { readonly alert?: string | undefined; back?(others: Parameters<typeof row>): ActionRow } = {},
) {
  const { guildId, locale } = caller;
  const handling = await services.handling.ofOrder(guildId, order.id);
  const presses = handlingButtons(handling.take, locale, (press) =>
    customIds.order.buttons[`card-${press}`].makeIfFits({ id: order.id, alert: from.alert }),
  );
  const theirs = theirOrders(order, customersFor(caller, settings.privacy), caller);
  const rows = from.back ? [...rowOf(presses), from.back(theirs)] : rowOf([...presses, ...theirs]);
  return orderCard(order, callerView(settings, locale), { handling, rows });
}
