import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import type { ViewContext } from "../views/parts/context.ts";

const keptItems = 50;
const keptTitleLength = 200;

/** Without the customer if `privacy` is `none`. */
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

/** Leaves out items, payment method and customer, because Discord may refuse their texts. */
export const bare = ({ customer: _, ...order }: AlertOrder): AlertOrder => ({ ...order, items: [], paymentMethod: "" });
