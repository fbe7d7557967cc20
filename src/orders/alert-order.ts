import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import type { ViewContext } from "../views/parts/context.ts";

/** Maximum number of items of an order that are stored. */
const keptItems = 50;
/** Maximum number of characters of a stored item title or payment method. */
const keptTitleLength = 200;

/** Returns the parts of an order that an alert shows. The customer is left out if `privacy` is `none`. */
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

/** Returns the order without its items, payment method and customer. Discord may refuse a message because of a text in them. */
export const bare = ({ customer: _, ...order }: AlertOrder): AlertOrder => ({ ...order, items: [], paymentMethod: "" });
