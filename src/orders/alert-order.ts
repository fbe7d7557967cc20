import type { Guild } from "../guilds/guild.ts";
import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import type { ViewContext } from "../views/parts/context.ts";

/** What an alert keeps of an order's items: an entry has to stay small. */
const keptItems = 50;
const keptTitleLength = 200;

/** How messages in the server's channels are shown. */
export const contextOf = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });

/** What an alert shows of an order; the customer only where the server's privacy setting lets it be shown. */
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

/** The same without what others wrote, which Discord may refuse. */
export const bare = ({ customer: _, ...order }: AlertOrder): AlertOrder => ({ ...order, items: [], paymentMethod: "" });
