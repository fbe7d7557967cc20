import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { parseTime } from "../store-api/parse-time.ts";

/** An order as its messages show it; without the customer. */
export const factsSchema = z.object({
  id: z.string(),
  status: z.string(),
  items: z.array(z.object({ title: z.string(), quantity: z.number() })),
  total: z.number(),
  paymentMethod: z.string(),
  /** Epoch ms; 0.1.0 kept the text that the store sent. */
  createdAt: z.union([z.number(), z.string().transform(parseTime)]).optional(),
  /** Epoch ms at which it was seen to have left the status in which it was alerted. */
  changedAt: z.number().optional(),
});
export type Facts = Readonly<z.infer<typeof factsSchema>>;

/** The message in which an order's alert stands. */
const standSchema = z.object({
  channelId: z.string(),
  messageId: z.string(),
  /** Ids of all orders in it, in its order. */
  members: z.array(z.string()).readonly(),
  /** The rule by which it went there; none for the alerts' own channel. */
  route: z.string().optional(),
  /** Absent for a message in Components V2, as 0.1.0 posted it: it is not edited. */
  isClassic: z.literal(true).optional(),
});

const base = {
  /** Statuses in which rules have seen it, by their keys: what they cause was decided then. */
  seen: z.array(z.string()).readonly().optional(),
  /** Those for which a message by a rule mentions the staff. */
  alertedFor: z.array(z.string()).readonly().optional(),
  /** It is of a store that was connected before: the store is not known by it. */
  isFormer: z.literal(true).optional(),
};

const rowSchema = z.discriminatedUnion("state", [
  /** Rules have seen it; whether it is alerted is not decided. */
  z.object({ ...base, state: z.literal("noticed") }),
  /** Nothing is to be sent for it, or followed: it was there before alerts began, or its message says all that there is to say. */
  z.object({ ...base, state: z.literal("closed") }),
  /** Its alert is in the outbox. */
  z.object({ ...base, state: z.literal("planned"), facts: factsSchema, foundAt: z.number() }),
  /** Its alert stands in a channel, and follows it; `kept`: not any more, but another order of its message is followed. */
  z.object({
    ...base,
    state: z.enum(["open", "kept"]),
    facts: factsSchema,
    /** Epoch ms. */
    foundAt: z.number(),
    stand: standSchema,
    /** What was said of it once more: that it was paid, and that it was paid back. */
    paid: z.literal(true).optional(),
    refunded: z.literal(true).optional(),
  }),
]);

/** What is known of one order; of a closed one for good, because the store may show any order again. */
export type OrderRow = Readonly<z.infer<typeof rowSchema>>;
type NoticedOrder = Extract<OrderRow, { readonly state: "noticed" }>;
export type PlannedOrder = Extract<OrderRow, { readonly state: "planned" }>;
/** An order whose alert stands in a channel. */
export type PostedOrder = Extract<OrderRow, { readonly state: "open" | "kept" }>;

/** A server's orders, by their ids. A malformed one was dealt with: it must not be alerted again. */
export const ordersTable: TableShape<OrderRow> = {
  name: "orders",
  schema: rowSchema.catch({ state: "closed" }),
  version: 1,
};

/** Which of a server's orders are open, each with the time (epoch ms) at which it was found: an index of {@link ordersTable}. */
export const openOrdersTable: TableShape<number> = {
  name: "open",
  schema: z.number().catch(0),
  version: 1,
};

/** Whether it was decided what becomes of its alert. */
export const isDealtWith = (row: OrderRow | undefined): row is Exclude<OrderRow, NoticedOrder> =>
  row !== undefined && row.state !== "noticed";

/** Whether its alert stands in a channel, or is about to, and follows it. */
export const isAlerted = (row: OrderRow | undefined): row is PlannedOrder | PostedOrder =>
  row?.state === "planned" || row?.state === "open";

export const isPosted = (row: OrderRow | undefined): row is PostedOrder =>
  row?.state === "open" || row?.state === "kept";
