import { type Caller, customersFor } from "../src/discord/commands/caller.ts";
import type { Connected, Services } from "../src/discord/commands/services.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { findOrder } from "../src/store-queries/find-order.ts";
import { theirOrders } from "../src/views/orders/customer-page.ts";
import { handlingButtons } from "../src/views/orders/handling.ts";
import { orderCard } from "../src/views/orders/order-card.ts";
import { buttonRow } from "../src/views/parts/components.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import { backRow } from "../src/views/parts/list-page.ts";

/** In custom ids, this names the list of a customer's orders. */
export const customerList = "customer";

/**
 * A card was opened by `/order`, from an alert (`alert` is its message id), or from a list. `list` is `customerList`, or
 * undefined for a list of `/orders`.
 */
export type OpenedFrom =
  | { readonly alert?: string | undefined }
  | { readonly session: string; readonly page: number; readonly list?: string | undefined };

/** If the card was opened from a list, a button leads back to the page. */
export async function showOrder(
  caller: Caller,
  services: Services,
  order: Order,
  { guild, view }: Pick<Connected, "guild" | "view">,
  from: OpenedFrom = {},
) {
  const { guildId, locale } = caller;
  const { id } = order;
  const { buttons } = customIds.order;
  const handling = await services.handling.ofOrder(guildId, id);
  const presses = handlingButtons(handling.take, locale, (press) =>
    "session" in from
      ? buttons[`list-${press}`].makeIfFits({ id, list: undefined, ...from })
      : buttons[`card-${press}`].makeIfFits({ id, alert: from.alert }),
  );
  const isTheirs = "session" in from && from.list === customerList;
  const theirs = isTheirs ? [] : theirOrders(order, customersFor(caller, guild.settings.privacy), caller);
  const list = isTheirs ? customIds.customer : customIds.orders;
  const rows =
    "session" in from
      ? [...buttonRow(...presses), ...backRow(list, from.session, from.page, locale, ...theirs)]
      : buttonRow(...presses, ...theirs);
  return orderCard(order, view, { handling, rows });
}

/** Throws a `StoreError`, or a `ProblemError` if no store is connected. */
export async function readCard(caller: Caller, services: Services, id: string, from?: OpenedFrom) {
  const shop = await services.connected();
  return showOrder(caller, services, await findOrder(shop.store, id), shop, from);
}
