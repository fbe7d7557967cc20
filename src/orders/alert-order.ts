import type { Guild } from "../guilds/guild.ts";
import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import type { ViewContext } from "../views/parts/context.ts";

/** Maximum number of items stored per order, and maximum length of an item's title. A row has to stay small. */
const keptItems = 50;
const keptTitleLength = 200;

/** Returns language, currency and privacy for messages in the server's channels. */
export const contextOf = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });

/** Returns the parts of an order that an alert shows. The customer is included if the server's privacy setting allows it. */
export function toAlertOrder(order: Order, privacy: ViewContext["privacy"]) {
  return {
    id: order.id,
    status: order.status,
    items: order.items
      .slice(0, keptItems)
      .map(({ productTitle, quantity }) => ({ title: productTitle.slice(0, keptTitleLength), quantity })),
    total: order.pricing.total,
    paymentMethod: order.paymentMethod.slice(0, keptTitleLength),
    createdAt: order.createdAt,
    ...(privacy === "none" ? {} : { customer: order.customer }),
  } satisfies AlertOrder;
}

/** Returns the order without texts that other people wrote. Discord may refuse a message for such a text. */
export const bare = ({ customer: _, ...order }: AlertOrder): AlertOrder => ({ ...order, items: [], paymentMethod: "" });
