import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { factsSchema } from "./order-row.ts";

/** A send that was about to be made: whether it reached the channel is unknown until it is looked for there. */
const attemptSchema = z.object({
  channelId: z.string(),
  /** Keys of the rows of the message, in its order: the same ones make the same nonce. None: it is not known any more. */
  members: z.array(z.string()).readonly(),
  /** The statuses in which it shows their orders. */
  shown: z.array(z.string()).readonly(),
  /** Epoch ms. */
  at: z.number(),
});

const common = {
  /** When its cause was found, epoch ms. */
  foundAt: z.number(),
  /** Since when (epoch ms) it may stand in a channel although it was found later: the storage was restored. */
  since: z.number().optional(),
  /** One for each channel, the last one last. None: it was certainly never sent. */
  attempts: z.array(attemptSchema).readonly().default([]),
};

/** The customer of a message of one order; encrypted. */
const customer = z.string().optional().catch(undefined);

const alertSchema = z.object({
  ...common,
  kind: z.literal("alert"),
  orderId: z.string(),
  customer,
  /** The rule by which it goes. */
  route: z.string().optional(),
  /** No rule is named because the category of a product was not known. */
  isUnsure: z.literal(true).optional(),
});

/** An answer to an alert: its order was paid, or paid back. */
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

/** What a rule says in addition to the alert: a line for the public, or to the staff that an order came to a status. */
const ruleSchema = z.object({ ...common, kind: z.literal("rule"), route: z.string(), facts: factsSchema });

/** To be sent when no person took the order for so long. */
const reminderSchema = z.object({
  ...common,
  kind: z.literal("reminder"),
  /** Of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
  orderIds: z.array(z.string()).readonly(),
});

/** The message is to be rendered again from its orders. */
const editSchema = z.object({
  ...common,
  kind: z.literal("edit"),
  channelId: z.string(),
  messageId: z.string(),
  orderIds: z.array(z.string()).readonly(),
  customer,
});

const rowSchema = z.discriminatedUnion("kind", [alertSchema, replySchema, ruleSchema, reminderSchema, editSchema]);

/** Something that is to be sent or edited while no person waits for the answer. */
export type OutboxRow = Readonly<z.infer<typeof rowSchema>>;
export type Kind = OutboxRow["kind"];
export type RowOf<K extends Kind> = Extract<OutboxRow, { readonly kind: K }>;

/** A server's rows, by {@link keyOf}. A malformed one is not sent. */
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
