/** Order cards and lists. */
export const orders = {
  card: "Order",
  list: "Orders",
  items: (count: string) => `Items (${count})`,
  noItems: "No items",
  each: (price: string) => `${price} each`,
  subtotal: "Subtotal",
  discount: "Discount",
  total: "Total",
  payment: "Payment",
  status: "Status",
  customer: "Customer",
  placed: "Placed",
  empty: "No orders found.",
  emptyPage: "No orders on this page.",
  pick: "Open an order",
  takenLeftOut: (count: string) => `Orders already taken, hidden on this page: ${count}.`,
  notInStore: (count: string) => `Taken orders that the store does not have: ${count}.`,
};

/** A customer's orders. Arguments are safe in markdown. */
export const customers = {
  theirOrders: "Their orders",
  title: "Customer",
  none: "No orders found for this customer.",
  sums: (count: string, total: string) => `Orders: **${count}** · Total: **${total}**`,
  sumsAtLeast: (count: string, total: string) => `Orders: at least **${count}** · Total: at least **${total}**`,
  span: (first: string, last: string) => `First: ${first} · Last: ${last}`,
  spanOfSome: (first: string, last: string) => `First of these: ${first} · Last: ${last}`,
  everyStatus: "The total includes orders of every status.",
};

/** Words for common order statuses. The API documents only `PENDING`. Others are shown as the store sends them. */
export const statuses = {
  pending: "Pending",
  processing: "Processing",
  paid: "Paid",
  approved: "Approved",
  completed: "Completed",
  delivered: "Delivered",
  shipped: "Shipped",
  cancelled: "Cancelled",
  expired: "Expired",
  failed: "Failed",
  rejected: "Rejected",
  refunded: "Refunded",
  disputed: "Disputed",
  none: "No status",
};

/** Words for common payment methods. The API documents none. Others are shown as the store sends them. */
export const payments = {
  pix: "Pix",
  creditCard: "Credit card",
  debitCard: "Debit card",
  card: "Card",
  boleto: "Boleto",
  bankTransfer: "Bank transfer",
  cash: "Cash",
  balance: "Balance",
  crypto: "Crypto",
  paypal: "PayPal",
  mercadoPago: "Mercado Pago",
  stripe: "Stripe",
  free: "Free",
};
