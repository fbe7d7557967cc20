import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { parseTime } from "../store-api/parse-time.ts";

/** What messages show of an order, without the customer. */
export const factsSchema = z.object({
  id: z.string(),
  status: z.string(),
  items: z.array(z.object({ title: z.string(), quantity: z.number() })),
  /** How many items of the order are not in `items`. */
  moreItems: z.number().optional(),
  total: z.number(),
  paymentMethod: z.string(),
  /** Epoch ms. Version 0.1.0 stored the text that the store sent. */
  createdAt: z.union([z.number(), z.string().transform(parseTime)]).optional(),
  /** When the bot saw the last change of the status (epoch ms). Undefined if the status has not changed since the alert. */
  changedAt: z.number().optional(),
  /** Set if the alert showed the order as paid at first, and the order's status has changed since. */
  wasPaidAtFirst: z.literal(true).optional(),
});
export type Facts = Readonly<z.infer<typeof factsSchema>>;

/** Where an order's alert was posted. */
const standSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** All orders in the message, in the sequence of the message. */
  members: z.array(z.string()).readonly(),
  /** The rule that chose a channel for the alert. If the bot could not post there, the alert is in the alert channel. */
  route: z.string().optional(),
  /** No rule was chosen, because a product's category was unknown. */
  isUnsure: z.literal(true).optional(),
  /** Absent if version 0.1.0 posted the message, with Components V2. Such a message is not edited. */
  isClassic: z.literal(true).optional(),
});

const base = {
  /** Keys of the statuses in which rules have seen the order. Rules post about each status of an order at most once. */
  seen: z.array(z.string()).readonly().optional(),
  /** Keys of the statuses that caused a rule's message to the staff. The message may still wait. */
  alertedFor: z.array(z.string()).readonly().optional(),
  /** The order belongs to a former store, so it cannot identify the present store. */
  isFormer: z.literal(true).optional(),
  /** The alert of a closed order. A search for a new alert of the order must not find this message. */
  formerPlace: z.object({ channelId: z.string(), messageId: z.string() }).optional(),
};

const rowSchema = z.discriminatedUnion("state", [
  /** Rules have seen the order, but the bot has not decided about an alert yet. */
  z.object({ ...base, state: z.literal("noticed") }),
  /** The order gets no alert or edit any more. For example, it existed before alerts began, or its message is final. */
  z.object({ ...base, state: z.literal("closed") }),
  z.object({ ...base, state: z.literal("planned"), facts: factsSchema, foundAt: z.number() }),
  /**
   * `open`: the alert was posted, and the order is followed. `kept`: the order is no longer followed, but its alert also
   * shows another order, which is followed. An edit of the alert needs the facts of all its orders.
   */
  z.object({
    ...base,
    state: z.enum(["open", "kept"]),
    facts: factsSchema,
    /** Epoch ms. */
    foundAt: z.number(),
    stand: standSchema,
    /** `paid`: people were told about the payment. `refunded`: they were told that the order was paid back or disputed. */
    paid: z.literal(true).optional(),
    refunded: z.literal(true).optional(),
  }),
]);

/** The row of a closed order stays as long as the server has the same store, because the store may show any order again. */
export type OrderRow = Readonly<z.infer<typeof rowSchema>>;
type NoticedOrder = Extract<OrderRow, { readonly state: "noticed" }>;
export type PlannedOrder = Extract<OrderRow, { readonly state: "planned" }>;
export type PostedOrder = Extract<OrderRow, { readonly state: "open" | "kept" }>;

/** Keys are order ids. A malformed row reads as closed, because its order must not be alerted again. */
export const ordersTable: TableShape<OrderRow> = {
  name: "orders",
  schema: rowSchema.catch({ state: "closed" }),
  version: 1,
};

/** The open orders, each with the time when it was found (epoch ms). */
export const openOrdersTable: TableShape<number> = {
  name: "open",
  schema: z.number().catch(0),
  version: 1,
};

/** Whether the bot has already decided that the order gets an alert, or that it gets none. */
export const isDealtWith = (row: OrderRow | undefined): row is Exclude<OrderRow, NoticedOrder> =>
  row !== undefined && row.state !== "noticed";

/** Whether the order waits for its alert, or is followed after its alert. */
export const isAlerted = (row: OrderRow | undefined): row is PlannedOrder | PostedOrder =>
  row?.state === "planned" || row?.state === "open";

export const isPosted = (row: OrderRow | undefined): row is PostedOrder =>
  row?.state === "open" || row?.state === "kept";

export const factsOf = (row: OrderRow | undefined): Facts | undefined =>
  row && "facts" in row ? row.facts : undefined;

/** The row of a closed order has no content of the order. */
export const closed = (row: OrderRow): OrderRow => ({
  state: "closed",
  seen: row.seen,
  alertedFor: row.alertedFor,
  isFormer: row.isFormer,
  formerPlace: isPosted(row) ? { channelId: row.stand.channelId, messageId: row.stand.messageId } : row.formerPlace,
});
