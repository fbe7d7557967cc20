import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { factsSchema } from "./order-row.ts";

/** A send that was about to be made. Whether it reached the channel is unknown until it is searched for there. */
const attemptSchema = z.object({
  channelId: z.string(),
  /** Keys of the message's rows, in order. The same keys make the same nonce. Empty if they are not known any more. */
  members: z.array(z.string()).readonly(),
  /** The statuses in which the message shows their orders. */
  shown: z.array(z.string()).readonly(),
  /** Epoch ms. */
  at: z.number(),
});

const common = {
  /** When the cause of the message was found, epoch ms. */
  foundAt: z.number(),
  /** Since when (epoch ms) the message may have been posted, although its cause was found later: the storage was restored. */
  since: z.number().optional(),
  /** One for each channel, the latest at the end. Empty if the message was certainly never sent. */
  attempts: z.array(attemptSchema).readonly().default([]),
};

/** The customer of a message with one order, encrypted. */
const customer = z.string().optional().catch(undefined);

const alertSchema = z.object({
  ...common,
  kind: z.literal("alert"),
  orderId: z.string(),
  customer,
  /** The rule that chooses the channel. */
  route: z.string().optional(),
  /** No rule is named because the category of a product was not known. */
  isUnsure: z.literal(true).optional(),
});

/** A reply to an alert: its order was paid, or paid back. */
const replySchema = z.object({
  ...common,
  kind: z.literal("reply"),
  what: z.enum(["paid", "refunded"]),
  facts: factsSchema,
  /** Of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
});

/** A rule's own message: a line for the public, or a notice to the staff that an order came to a status. */
const ruleSchema = z.object({ ...common, kind: z.literal("rule"), route: z.string(), facts: factsSchema });

/** A reminder, sent if no person took the order in time. */
const reminderSchema = z.object({
  ...common,
  kind: z.literal("reminder"),
  /** Of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
  orderIds: z.array(z.string()).readonly(),
});

/** An edit: the message is rendered again from its orders. */
const editSchema = z.object({
  ...common,
  kind: z.literal("edit"),
  channelId: z.string(),
  messageId: z.string(),
  orderIds: z.array(z.string()).readonly(),
  customer,
});

const rowSchema = z.discriminatedUnion("kind", [alertSchema, replySchema, ruleSchema, reminderSchema, editSchema]);

/** A message to send or edit in the background. */
export type OutboxRow = Readonly<z.infer<typeof rowSchema>>;
export type Kind = OutboxRow["kind"];
export type RowOf<K extends Kind> = Extract<OutboxRow, { readonly kind: K }>;

/** A server's rows, by {@link keyOf}. A malformed row is not sent. */
export const outboxTable: TableShape<OutboxRow | null> = {
  name: "outbox",
  schema: rowSchema.nullable().catch(null),
  version: 1,
};

/** One row for each cause. */
export function keyOf(row: OutboxRow): string {
  switch (row.kind) {
    case "alert":
      return alertKey(row.orderId);
    case "reply":
      return replyKey(row.what, row.facts.id);
    case "rule":
      return `rule/${row.route}/${row.facts.id}`;
    case "reminder":
    case "edit":
      return `${row.kind}/${row.messageId}`;
  }
}

export const alertKey = (orderId: string): string => `alert/${orderId}`;
export const replyKey = (what: RowOf<"reply">["what"], orderId: string): string => `reply/${what}/${orderId}`;
