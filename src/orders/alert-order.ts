import type { Order } from "../store-api/schemas.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";
import { firstItems } from "../views/orders/order-lines.ts";
import type { ViewContext } from "../views/parts/context.ts";

const keptItems = 50;
const keptTitleLength = 200;

/** Without the customer if `privacy` is `none`. */
export function toAlertOrder(order: Order, privacy: ViewContext["privacy"]) {
  const { items, ...more } = firstItems(order, keptItems);
  return {
    id: order.id,
    status: order.status,
    items: items.map(({ productTitle, quantity }) => ({ title: productTitle.slice(0, keptTitleLength), quantity })),
    ...more,
    total: order.pricing.total,
    paymentMethod: order.paymentMethod.slice(0, keptTitleLength),
    createdAt: order.createdAt,
    ...(privacy === "none" ? {} : { customer: order.customer }),
  } satisfies AlertOrder;
}

/** Leaves out items, payment method and customer, because Discord may refuse their texts. */
export const bare = ({ customer: _c, moreItems: _m, ...order }: AlertOrder): AlertOrder => ({
  ...order,
  items: [],
  paymentMethod: "",
});
