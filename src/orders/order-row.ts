import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { parseTime } from "../store-api/parse-time.ts";

/** The content of an order that its messages show, without the customer. */
export const factsSchema = z.object({
  id: z.string(),
  status: z.string(),
  items: z.array(z.object({ title: z.string(), quantity: z.number() })),
  total: z.number(),
  paymentMethod: z.string(),
  /** Epoch ms; 0.1.0 kept the text that the store sent. */
  createdAt: z.union([z.number(), z.string().transform(parseTime)]).optional(),
  /** When its status was seen to differ from the alert's, epoch ms. */
  changedAt: z.number().optional(),
});
export type Facts = Readonly<z.infer<typeof factsSchema>>;

/** The posted message that has an order's alert. */
const standSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** Ids of all orders in the message, in the order shown. */
  members: z.array(z.string()).readonly(),
  /** The rule that chose this channel; undefined for the alert channel. */
  route: z.string().optional(),
  /** Absent for a Components V2 message, as 0.1.0 posted: such a message is not edited. */
  isClassic: z.literal(true).optional(),
});

const base = {
  /** Keys of the statuses in which rules have seen the order. Their messages were decided on then. */
  seen: z.array(z.string()).readonly().optional(),
  /** Those of the seen statuses for which a rule's message mentions the staff. */
  alertedFor: z.array(z.string()).readonly().optional(),
  /** The order is of a former store, so it does not identify the present one. */
  isFormer: z.literal(true).optional(),
};

const rowSchema = z.discriminatedUnion("state", [
  /** Rules have seen the order; its alert is not decided on. */
  z.object({ ...base, state: z.literal("noticed") }),
  /** The order is not followed and gets no alert: it was there before alerts began, or its message is final. */
  z.object({ ...base, state: z.literal("closed") }),
  /** The alert is in the outbox. */
  z.object({ ...base, state: z.literal("planned"), facts: factsSchema, foundAt: z.number() }),
  /** `open`: the alert was posted and follows the order. `kept`: only another order of the same message is still followed. */
  z.object({
    ...base,
    state: z.enum(["open", "kept"]),
    facts: factsSchema,
    /** Epoch ms. */
    foundAt: z.number(),
    stand: standSchema,
    /** Replies that were posted: the order was paid, or paid back. */
    paid: z.literal(true).optional(),
    refunded: z.literal(true).optional(),
  }),
]);

/** The row of one order. A closed one is kept for good, because the store may show any order again. */
export type OrderRow = Readonly<z.infer<typeof rowSchema>>;
type NoticedOrder = Extract<OrderRow, { readonly state: "noticed" }>;
export type PlannedOrder = Extract<OrderRow, { readonly state: "planned" }>;
/** An order whose alert was posted. */
export type PostedOrder = Extract<OrderRow, { readonly state: "open" | "kept" }>;

/** A server's orders, by their ids. A malformed row counts as closed: its order must not be alerted again. */
export const ordersTable: TableShape<OrderRow> = {
  name: "orders",
  schema: rowSchema.catch({ state: "closed" }),
  version: 1,
};

/** Index of {@link ordersTable}: the open orders of a server, each with the time at which it was found (epoch ms). */
export const openOrdersTable: TableShape<number> = {
  name: "open",
  schema: z.number().catch(0),
  version: 1,
};

/** Whether the order's alert was decided on. */
export const isDealtWith = (row: OrderRow | undefined): row is Exclude<OrderRow, NoticedOrder> =>
  row !== undefined && row.state !== "noticed";

/** Whether an alert of the order is in the outbox, or was posted and follows it. */
export const isAlerted = (row: OrderRow | undefined): row is PlannedOrder | PostedOrder =>
  row?.state === "planned" || row?.state === "open";

export const isPosted = (row: OrderRow | undefined): row is PostedOrder =>
  row?.state === "open" || row?.state === "kept";
