import type { Guild } from "../guilds/guild.ts";
import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import type { ViewContext } from "../views/parts/context.ts";

/** Most items that an alert keeps of an order, and the longest title: a row has to stay small. */
const keptItems = 50;
const keptTitleLength = 200;

/** Language, currency and privacy of messages in the server's channels. */
export const contextOf = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });

/** The parts of an order that an alert shows. The customer is among them if the server's privacy setting allows it. */
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

/** An alert's order without texts that others wrote, which Discord may refuse. */
export const bare = ({ customer: _, ...order }: AlertOrder): AlertOrder => ({ ...order, items: [], paymentMethod: "" });
